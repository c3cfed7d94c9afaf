#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# listen.pl ADDRESS PORT FILE: takes the port, says so in FILE, and keeps it until it is ended.
use strict;
use warnings;
use Socket qw(:DEFAULT inet_pton sockaddr_in6);
my $family = $ARGV[0] =~ /:/ ? AF_INET6 : AF_INET;
my $address = inet_pton($family, $ARGV[0]);
socket(my $listener, $family, SOCK_STREAM, 0) or die "socket: $!";
bind($listener, $family == AF_INET6 ? sockaddr_in6($ARGV[1], $address) : sockaddr_in($ARGV[1], $address))
    or die "bind: $!";
listen($listener, 1) or die "listen: $!";
open(my $file, '>', $ARGV[2]) or die "$ARGV[2]: $!";
print $file "$$\n";
close($file);
$SIG{TERM} = sub { exit 0 };
sleep(60);

#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# listen.pl ADDRESS PORT FILE: takes the port, says so in FILE, and keeps it until it is ended.
use strict;
use warnings;
use Socket;
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
bind($listener, sockaddr_in($ARGV[1], inet_aton($ARGV[0]))) or die "bind: $!";
listen($listener, 1) or die "listen: $!";
open(my $file, '>', $ARGV[2]) or die "$ARGV[2]: $!";
print $file "$$\n";
close($file);
$SIG{TERM} = sub { exit 0 };
sleep(60);

@CSS@ @DATA@ @JS@

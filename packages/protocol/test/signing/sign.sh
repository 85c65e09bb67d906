#!/bin/sh
# Signs a query with only a shell, coreutils, sed and openssl: a second implementation, which shares no code
# with the package.
#
# Standard input, in lowercase hex, so that it can contain any byte:
#   the signing secret
#   name=value of each decoded pair, one per line
# Standard output: the canonical query, a newline, the signature.
#
#   hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; echo; }
#   { hex secret; echo "$(hex tokenId)=$(hex 7)"; } | sh sign.sh
set -eu
LC_ALL=C
export LC_ALL

hex_of() {
  printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}

# RFC 3986, 2.3: prints sed commands that decode the unreserved characters.
decode_unreserved() {
  for character in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z \
    a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9 - . _ '~'; do
    printf 's/%%%02X/%s/g\n' "'$character" "$character"
  done
}

read -r secret

# Hex digits sort like the bytes that they encode. The sort is stable (-s) for equal names.
canonical=$(
  sed "/^$(hex_of signature)=/d" |
    sort -s -t = -k 1,1 |
    tr a-f A-F |
    sed 's/[0-9A-F][0-9A-F]/%&/g' |
    sed "$(decode_unreserved)" |
    tr '\n' '&'
)
canonical=${canonical%&}

printf '%s\n' "$canonical"
printf 'snap-signed-v1\n%s' "$canonical" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret" -r |
  cut -d ' ' -f 1

# archive.sh PREFIX GCC ARCHIVE FLAG...
set -e
prefix=$1
gcc=$2
archive=$3
shift 3
"${gcc%gcc}g++" "$@" -O2 -fno-exceptions -fno-rtti -c "${prefix}_mix.cc" -o mix.o
"${gcc%gcc}ar" rcsD "$archive" mix.o

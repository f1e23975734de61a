# cmake -DROOT=dir "-DFILES=a;b" -DOUTPUT=x.cpp -DNAMESPACE=n -DFUNCTION=f -DHEADER=h.h -P EmbedFiles.cmake: a C++ file
# with the function f, declared in h.h, that returns these files as raw strings.
# A raw string literal may be at most 65,536 characters long by the standard's minimum; the files are far smaller.
set(text "// Made by cmake/EmbedFiles.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND text "const std::vector<EmbeddedFile>& ${FUNCTION}() {\n    static const std::vector<EmbeddedFile> files = {\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} contents)
  string(APPEND text "        {\"${file}\", R\"~mm~(${contents})~mm~\"},\n")
endforeach()
string(APPEND text "    };\n    return files;\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")

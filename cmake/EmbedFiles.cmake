# cmake -DROOT=dir "-DFILES=a;b" -DOUTPUT=x.cpp -P EmbedFiles.cmake: a C++ file that holds these files as raw strings.
# A raw string literal may be at most 65,536 characters long by the standard's minimum; the files are far smaller.
set(text "// Made by cmake/EmbedFiles.cmake.\n#include \"weave/embedded_runtime.h\"\n\nnamespace metamorph::weave {\n\n")
string(APPEND text "const std::vector<EmbeddedFile>& embedded_runtime() {\n    static const std::vector<EmbeddedFile> files = {\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} contents)
  string(APPEND text "        {\"${file}\", R\"~mm~(${contents})~mm~\"},\n")
endforeach()
string(APPEND text "    };\n    return files;\n}\n\n}  // namespace metamorph::weave\n")
file(WRITE ${OUTPUT} "${text}")

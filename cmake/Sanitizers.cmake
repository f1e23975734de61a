# METAMORPH_SANITIZE=address,undefined builds everything of ours with these sanitizers. Without the vptr check, everywhere:
# LLVM's classes have no run-time type information, and what the standard library's templates do with them is linked from
# whichever file comes first, so leaving the check off in the front end's files alone does not help.
set(METAMORPH_SANITIZE "" CACHE STRING "Comma-separated sanitizers, e.g. address,undefined")
if(METAMORPH_SANITIZE)
  add_compile_options(-fsanitize=${METAMORPH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(METAMORPH_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize=vptr)
  endif()
  add_compile_definitions(METAMORPH_SANITIZED)
  add_link_options(-fsanitize=${METAMORPH_SANITIZE})
endif()

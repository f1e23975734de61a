# METAMORPH_SANITIZE=address,undefined builds everything of ours with these sanitizers.
set(METAMORPH_SANITIZE "" CACHE STRING "Comma-separated sanitizers, e.g. address,undefined")
if(METAMORPH_SANITIZE)
  add_compile_options(-fsanitize=${METAMORPH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${METAMORPH_SANITIZE})
endif()

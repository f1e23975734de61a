// Compilers for one processor may still differ: gcc for bare-metal Arm makes enumerations as small as they can be,
// Clang does not unless told. What the sizes of all structures follow from is few: sizes and alignments of the basic
// types.
#include "cfront/target_layout.h"

#include <clang/AST/ASTContext.h>
#include <fmt/format.h>

namespace metamorph::cfront {

std::string layout_condition(const clang::ASTContext& context) {
    std::string condition = fmt::format("(char)-1 {} 0", context.getLangOpts().CharIsSigned ? "<" : ">");
    const auto add = [&](const char* type, clang::QualType known) {
        condition += fmt::format(" && sizeof({0}) == {1} && _Alignof({0}) == {2}", type,
                                 context.getTypeSizeInChars(known).getQuantity(),
                                 context.getTypeAlignInChars(known).getQuantity());
    };
    add("int", context.IntTy);
    add("long", context.LongTy);
    add("long long", context.LongLongTy);
    add("void *", context.VoidPtrTy);
    add("double", context.DoubleTy);
    add("long double", context.LongDoubleTy);
    add("__typeof__(L'0')", context.WideCharTy);
    const std::int64_t smallest =
        context.getLangOpts().ShortEnums ? 1 : context.getTypeSizeInChars(context.UnsignedIntTy).getQuantity();
    return condition + fmt::format(" && sizeof(enum {{ mm_enumerator }}) == {}", smallest);
}

}  // namespace metamorph::cfront

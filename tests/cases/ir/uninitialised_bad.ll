; expect-somewhere: uninitialised unsafe
define i32 @main() {
entry:
  %a = alloca i32, align 4
  %v = load i32, ptr %a, align 4
  ret i32 %v
}

; expect-somewhere: pointer unsafe
; One address serves for a read and for a write that is not always done: each has its check.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@text = constant [4 x i8] c"abc\00"

define i8 @clear(ptr %p, i1 %sure) !dbg !4 {
  %old = load i8, ptr %p, !dbg !6
  br i1 %sure, label %write, label %done, !dbg !6
write:
  store i8 0, ptr %p, !dbg !6
  br label %done, !dbg !6
done:
  ret i8 %old, !dbg !6
}

define i32 @main() !dbg !7 {
  %a = call i8 @clear(ptr @text, i1 false), !dbg !8
  %b = call i8 @clear(ptr @text, i1 true), !dbg !8
  ret i32 0, !dbg !8
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "constant_updated_bad.ll", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "clear", file: !1, line: 8, type: !3, scopeLine: 8, unit: !0)
!6 = !DILocation(line: 8, column: 3, scope: !4)
!7 = distinct !DISubprogram(name: "main", file: !1, line: 14, type: !3, scopeLine: 14, unit: !0)
!8 = !DILocation(line: 15, column: 3, scope: !7)

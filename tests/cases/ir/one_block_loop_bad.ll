; expect-somewhere: pointer unsafe
; A loop of one basic block, as optimisers make them: what is behind it is reached.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i32 @nondet_int()

define i32 @main() {
entry:
  %a = alloca [4 x i32], align 16
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %here = getelementptr inbounds [4 x i32], ptr %a, i64 0, i64 %i
  store i32 0, ptr %here, align 4
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 4
  br i1 %done, label %behind, label %loop
behind:
  %x = call i32 @nondet_int()
  %k = and i32 %x, 7
  %w = sext i32 %k to i64
  %p = getelementptr inbounds [4 x i32], ptr %a, i64 0, i64 %w
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; IR from elsewhere, without instrumentation: vouch adds its own checks.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i32 @nondet_int()

define i32 @main() {
entry:
  %a = alloca [4 x i32], align 16
  %x = call i32 @nondet_int()
  %i = and i32 %x, 3
  %w = sext i32 %i to i64
  %p = getelementptr inbounds [4 x i32], ptr %a, i64 0, i64 %w
  store i32 1, ptr %p, align 4
  %v = load i32, ptr %p, align 4
  ret i32 %v
}

; No turn hands on what is claimed never to come.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @__assert_fail(ptr, ptr, i32, ptr)
@m = constant [2 x i8] c"m\00"
define i32 @t(i32 %n) {
entry:
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ 1, %odd ], [ 2, %even ]
  %i = phi i32 [ 0, %entry ], [ %i1, %odd ], [ %i1, %even ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %i1 = add i32 %i, 1
  %z = icmp ult i32 %i1, 10
  %bad = icmp eq i32 %k, 3
  br i1 %bad, label %fail, label %next
next:
  br i1 %z, label %odd, label %even
odd:
  br label %head
even:
  br label %head
fail:
  call void @__assert_fail(ptr @m, ptr @m, i32 5, ptr @m)
  unreachable
end:
  ret i32 0
}

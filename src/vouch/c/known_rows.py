"""The functions that vouch knows by name, one row for those that have all in common.

A row is `names : where their meaning is : traits`:

- `engine KEY`: the engine executes it itself (`bmc/library.py` has the keys, `bmc/replay/stubs.py` what a
  native run does instead);
- `model FILE`: a C model in `models/`, in which the contract of its pointers is written down;
- `outside CONTRACT`: nothing is known but what its prototype demands of its arguments, one letter for each:
  `s` a string, `r` an object to read, `w` one to write, `t` a string that is changed (capital letters: or
  null), `-` anything else. A digit behind a letter is the number of the argument that says how many bytes
  there are.

Traits:

- `silent`: writes nothing that the program can see; `harmless`: accesses no memory of its caller; `reads`:
  reads all of what its arguments point to; `prints`: reads the strings it is given and nothing else;
- `fills`: writes a stretch behind its first argument and accesses nothing else (with the number of the
  argument that says how many bytes); `errno`: writes errno and nothing else;
- `allocates`, `frees`: the heap; `twice`: may return twice;
- `null`: returns null where it fails or finds nothing, `minus`: the address -1;
- `divides`: its last argument is a divisor of the one before;
- `assumes`, `claims`: conventions about a condition; `fails`: a condition did not hold (with the number of
  the argument that says which); `error`: must not be reached.
"""

from __future__ import annotations

ROWS = """
malloc valloc : engine malloc : allocates silent harmless
calloc : engine calloc : allocates silent harmless
aligned_alloc : engine aligned : allocates harmless
memalign : engine aligned : allocates
realloc : engine realloc : allocates frees
_Znwm _Znam _Znwj _Znaj : engine new : allocates
_ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t : engine malloc : allocates
free : engine free : frees silent harmless
__vouch_cuda_malloc : engine malloc : allocates silent harmless
__vouch_cuda_release : engine free : frees silent harmless
cfree : engine free : frees
_ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvj _ZdaPvj : engine free : frees
alloca __builtin_alloca : engine alloca : harmless
memcpy memmove : engine copy
memset : engine fill : fills 2
exit : engine exit : silent harmless
_exit _Exit : engine leave : silent
quick_exit : engine leave
at_quick_exit : engine register
abort : engine abort : silent harmless
__cxa_pure_virtual _ZSt9terminatev __stack_chk_fail : engine abort
fesetround : engine round
fegetround : engine skip
__cxa_guard_acquire : engine guard
__cxa_guard_release __cxa_guard_abort : engine skip
setjmp _setjmp sigsetjmp __sigsetjmp vfork : engine unsupported : twice
savectx getcontext : outside w : twice
longjmp _longjmp siglongjmp fork thrd_create fesetenv feupdateenv : engine unsupported
__cxa_throw __cxa_rethrow : engine throw
_Unwind_Resume : engine resume
__VERIFIER_assume __CPROVER_assume __ESBMC_assume : engine assume : assumes silent
__vouch_assume : engine assume : assumes silent harmless
__VERIFIER_assert : engine assert : claims silent
assert : engine assert : silent
__CPROVER_assert __ESBMC_assert : engine skip : claims silent
__VERIFIER_error reach_error : engine abort : error silent
__CPROVER_error : engine abort : error
__assert_fail : engine abort : fails 0 silent
__assert : engine abort : fails 0 silent
__assert_func : engine abort : fails 3 silent
__assert_rtn : engine abort : fails 3 silent
_assert : engine abort : fails 0 silent
_wassert : engine abort : fails 0
__assert_perror_fail : engine abort : fails 0 silent
__vouch_havoc : engine input : fills 1
__vouch_text : engine text : fills 1
__vouch_bytes : engine bytes : fills 1
__vouch_sets_errno : engine errno : errno harmless
__vouch_known : engine known : silent harmless
__vouch_constant : engine constant : silent harmless
__vouch_note : engine note : silent harmless
__vouch_object_size : engine object_size : silent harmless
__vouch_length : engine length : silent
__vouch_find : engine find : silent
__vouch_find_last : engine find_last : silent
__vouch_span : engine span : silent
__vouch_compare : engine compare : silent
__vouch_access : engine access : silent
__vouch_apart : engine distinct : silent harmless
__vouch_repeats : engine repeats : silent
__vouch_unsupported : engine unsupported_arguments : silent
__vouch_require : engine require : silent
__vouch_valid : engine valid : silent
__vouch_starts : engine starts : silent
__vouch_beside : engine beside : silent
__vouch_together : engine together : silent
__divdc3 __divsc3 __divxc3 __muldc3 __mulsc3 __mulxc3 : model complex
__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc isalnum isalpha isascii : model ctype
isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit : model ctype
toascii tolower toupper : model ctype
__vouch_cuda_failed __vouch_cuda_from_symbol __vouch_cuda_has __vouch_cuda_here : model cuda
__vouch_cuda_symbol_address __vouch_cuda_to_symbol cudaDeviceReset cudaDeviceSynchronize : model cuda
cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy cudaEventElapsedTime : model cuda
cudaEventQuery cudaEventRecord cudaEventSynchronize cudaFree cudaFreeHost cudaGetDevice : model cuda
cudaGetDeviceCount cudaGetDeviceProperties cudaGetErrorName cudaGetErrorString : model cuda
cudaGetLastError cudaHostAlloc cudaMalloc cudaMallocHost cudaMallocManaged cudaMemGetInfo : model cuda
cudaMemcpy cudaMemcpy2D cudaMemcpyAsync cudaMemset cudaMemsetAsync cudaPeekAtLastError : model cuda
cudaSetDevice cudaStreamCreate cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamQuery : model cuda
cudaStreamSynchronize cudaStreamWaitEvent : model cuda
cublasCreate_v2 cublasDestroy_v2 cublasGetMatrix : model cublas
cublasGetPointerMode_v2 cublasGetStatusString cublasGetStream_v2 cublasGetVector : model cublas
cublasGetVersion_v2 cublasSetMathMode cublasSetMatrix : model cublas
cublasSetPointerMode_v2 cublasSetStream_v2 cublasSetVector : model cublas
cublasDasum_v2 cublasDaxpy_v2 cublasDdot_v2 cublasDgeam cublasDgemmBatched : model cublas : reads
cublasDgemmStridedBatched cublasDgemm_v2 cublasDgemv_v2 cublasDger_v2 : model cublas : reads
cublasDnrm2_v2 cublasDscal_v2 cublasIdamax_v2 cublasIdamin_v2 cublasIsamax_v2 : model cublas : reads
cublasIsamin_v2 cublasSasum_v2 cublasSaxpy_v2 cublasSdot_v2 cublasSgeam : model cublas : reads
cublasSgemmBatched cublasSgemmStridedBatched cublasSgemm_v2 cublasSgemv_v2 : model cublas : reads
cublasDcopy_v2 cublasDswap_v2 cublasScopy_v2 cublasSswap_v2 : model cublas : reads
cublasSger_v2 cublasSnrm2_v2 cublasSscal_v2 : model cublas : reads
cudnnCreate cudnnCreateActivationDescriptor cudnnCreateConvolutionDescriptor : model cudnn
cudnnCreateFilterDescriptor cudnnCreatePoolingDescriptor cudnnCreateTensorDescriptor : model cudnn
cudnnDeriveBNTensorDescriptor cudnnDestroy cudnnDestroyActivationDescriptor : model cudnn
cudnnDestroyConvolutionDescriptor cudnnDestroyFilterDescriptor : model cudnn
cudnnDestroyPoolingDescriptor cudnnDestroyTensorDescriptor : model cudnn
cudnnGetConvolution2dForwardOutputDim cudnnGetConvolutionForwardAlgorithm_v7 : model cudnn
cudnnGetConvolutionForwardWorkspaceSize cudnnGetErrorString : model cudnn
cudnnGetPooling2dForwardOutputDim cudnnGetTensor4dDescriptor cudnnGetTensorSizeInBytes : model cudnn
cudnnGetVersion cudnnSetActivationDescriptor cudnnSetConvolution2dDescriptor : model cudnn
cudnnSetConvolutionGroupCount cudnnSetConvolutionMathType cudnnSetFilter4dDescriptor : model cudnn
cudnnSetPooling2dDescriptor cudnnSetStream cudnnSetTensor4dDescriptor : model cudnn
cudnnSetTensor4dDescriptorEx cudnnSetTensorNdDescriptor : model cudnn
cudnnActivationForward cudnnAddTensor cudnnBatchNormalizationForwardInference : model cudnn : reads
cudnnConvolutionForward cudnnPoolingForward cudnnSoftmaxForward : model cudnn : reads
__syncthreads __vouch_cuda_access __vouch_cuda_alone __vouch_cuda_begin : model kernel
__vouch_cuda_frame __vouch_cuda_named __vouch_cuda_next __vouch_cuda_shared : model kernel
__cxa_atexit __vouch_at_exit atexit : model exit
asprintf snprintf sprintf vsnprintf vsprintf : model format
__fgets_chk __fprintf_chk __fread_chk __gets_chk __memcpy_chk __memmove_chk : model fortify
__memset_chk __printf_chk __read_chk __recv_chk __snprintf_chk __sprintf_chk : model fortify
__stpcpy_chk __strcat_chk __strcpy_chk __strncat_chk __strncpy_chk : model fortify
__vfprintf_chk __vprintf_chk __vsnprintf_chk __vsprintf_chk : model fortify
_IO_getc __CPROVER_havoc_slice __VERIFIER_nondet_memory asctime clock ctime gettimeofday : model input
difftime drand48 fgetc fgets fgetws fread getc getchar getenv getline getrandom : model input
gets gmtime gmtime_r localtime localtime_r lrand48 mktime rand rand_r random : model input
read recv recvfrom srand srand48 srandom strftime time timegm ungetc : model input
__finite __finitef __finitel __fpclassify __fpclassifyf __fpclassifyl __isinf : model math
__isinff __isinfl __isnan __isnanf __isnanl __signbit __signbitf __signbitl acos : model math
acosh acoshf acoshl asinh asinhf asinhl atanh atanhf atanhl exp10 exp10f exp10l : model math
ilogb ilogbf logb logbf scalbln scalblnf tgamma tgammaf tgammal : model math
acosf acosl asin asinf asinl atan atan2 atan2f atan2l atanf atanl cbrt cbrtf : model math
cbrtl ceil ceilf ceill cos cosf cosh coshf coshl cosl erf erfc erfcf erfcl erff : model math
erfl exp exp2 exp2f exp2l expf expl expm1 expm1f expm1l fabs fabsf fabsl fdim : model math
fdimf finite finitef finitel floor floorf floorl fmax fmaxf fmin fminf fmod : model math
fmodf fmodl frexp frexpf hypot hypotf hypotl isinf isinff isinfl isnan isnanf : model math
isnanl ldexp ldexpf llrint llrintf llrintl llround llroundf llroundl log log10 : model math
log10f log10l log1p log1pf log1pl log2 log2f log2l logf logl lrint lrintf lrintl : model math
lround lroundf lroundl modf modff nearbyint nearbyintf nearbyintl nextafter : model math
nextafterf pow powf powl remainder remainderf remainderl rint rintf rintl round : model math
roundf roundl scalbn scalbnf sin sinf sinh sinhf sinhl sinl sqrt sqrtf sqrtl tan : model math
sincos sincosf tanf tanh tanhf tanhl tanl trunc truncf truncl : model math
__isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull strtof : model number
strtoimax strtold strtoumax : model number
atof atoi atol atoll strtod strtol strtoll strtoul strtoull : model number : reads
_IO_putc dprintf fputc fputs fputws fwrite perror putc syslog vfprintf vprintf : model output
write : model output
putchar : model output : harmless silent
fprintf : model output : prints
puts : model output : prints reads silent
printf : model output : prints silent
__isoc23_fscanf __isoc23_scanf __isoc23_sscanf __isoc99_fscanf __isoc99_scanf : model scan
__isoc99_sscanf __isoc99_vfscanf __isoc99_vsscanf fscanf scanf sscanf vfscanf : model scan
vscanf vsscanf : model scan
__errno __errno_location __error _errno abs bsearch htonl htons imaxabs labs llabs : model stdlib
ntohl ntohs qsort qsort_r : model stdlib
div ldiv lldiv : model stdlib : divides
posix_memalign : model stdlib : allocates
reallocarray : model stdlib : allocates frees
clearerr close creat fclose fdopen feof ferror fflush fileno fopen freopen fseek : model stream
ftell open openat pclose popen remove rename rewind setbuf setvbuf sleep system : model stream
tmpfile unlink usleep : model stream
__strdup __strtok_r bcmp bcopy bzero ffs index memccpy memmem mempcpy memrchr : model string
rawmemchr rindex stpcpy stpncpy strchrnul strcoll strerror strlcat strlcpy : model string
strncasecmp strsep strsignal strtok strtok_r strxfrm : model string
strdup strndup : model string : allocates reads
memchr memcmp strcasecmp strcat strchr strcmp strcpy strcspn strlen strncat : model string : reads
strncmp strncpy strnlen strpbrk strrchr strspn strstr : model string : reads
wcscat wcschr wcscmp wcscpy wcsdup wcslen wcsncat wcsncmp wcsncpy wcsnlen : model wide
wcsrchr wmemchr wmemcmp wmemcpy wmemmove wmemset : model wide
wcpcpy wcpncpy wcscasecmp wcscoll wcscspn wcsncasecmp wcspbrk wcsspn wcsstr : model wide
swprintf vswprintf : model wide_format
fwprintf vfwprintf vwprintf wprintf : model wide_stream
fwscanf swscanf vfwscanf vswscanf vwscanf wscanf : model wide_stream
__isoc99_fwscanf __isoc99_swscanf __isoc99_wscanf : model wide_stream
__isoc99_vfwscanf __isoc99_vswscanf __isoc99_vwscanf : model wide_stream
__isoc23_fwscanf __isoc23_swscanf __isoc23_wscanf : model wide_stream
__isoc23_vfwscanf __isoc23_vswscanf __isoc23_vwscanf : model wide_stream
chdir rmdir chroot shm_unlink sem_unlink mq_unlink : outside s
access mkdir chmod mkfifo truncate pathconf : outside s-
link symlink : outside ss
stat lstat statvfs statfs : outside sw
fstat fstatvfs : outside -w
getcwd : outside W1- : null
readlink : outside sw2-
realpath : outside sW : null
opendir : outside s : null
closedir rewinddir telldir dirfd : outside r
readdir : outside r : null
seekdir : outside r-
fgetpos : outside rw
fsetpos : outside rr
fseeko : outside r--
ftello flockfile funlockfile ftrylockfile : outside r
setlinebuf : outside r
fmemopen : outside W1-s : null
open_memstream : outside ww : null
tmpnam : outside W : null
mkstemp mktemp : outside t
mkdtemp : outside t : null
putenv unsetenv : outside s
setenv : outside ss-
execv execvp : outside sr
execve : outside srr
putw putwc fputwc ungetwc : outside -r
fgetwc getwc getw fwide : outside r
mblen : outside S-
mbtowc : outside WS-
wctomb : outside W-
mbstowcs : outside Ws-
wcstombs : outside Wr-
mbsinit : outside R
wcstol wcstoul wcstoll wcstoull : outside rW-
wcstod wcstof wcstold : outside rW
a64l : outside s
confstr : outside -W2-
getlogin_r : outside w1-
ecvt fcvt : outside --ww
gcvt : outside --w
getsubopt : outside wrw
getopt : outside -rs
getopt_long getopt_long_only : outside -rsrW
regcomp : outside ws-
regexec : outside rs-W-
regfree : outside w
regerror : outside -rW3-
fnmatch : outside ss-
glob : outside s--w
globfree : outside w
wordexp : outside sw-
setlocale : outside -S : null
iconv_open : outside ss : minus
iconv : outside -WWWW
strptime : outside ssw : null
asctime_r : outside rw : null
ctime_r : outside rw : null
clock_gettime clock_getres : outside -w
clock_settime : outside -r
settimeofday : outside RR
nanosleep : outside rW
times : outside w
getrusage getrlimit : outside -w
setrlimit : outside -r
uname : outside w
gethostname : outside w1-
getpwnam getgrnam gethostbyname : outside s : null
inet_addr : outside s
inet_aton : outside sw
inet_pton : outside -sw
inet_ntop : outside -rw3- : null
bind connect : outside -r2-
accept getsockname getpeername : outside -WW
getaddrinfo : outside SSRw
freeaddrinfo : outside r
send : outside -r2--
sendto : outside -r2--R5-
setsockopt : outside ---r4-
getsockopt : outside ---ww
pipe : outside w
poll : outside W--
select : outside -WWWW
sigaction : outside -RW
sigprocmask : outside -RW
sigemptyset sigfillset : outside w
sigaddset sigdelset : outside w-
sigismember : outside r-
wait : outside W
waitpid : outside -W-
dlopen : outside S- : null
dlsym : outside -s : null
lsearch : outside rww--
lfind : outside rww-- : null
pread : outside -w2--
pwrite : outside -r2--
getentropy explicit_bzero arc4random_buf getdomainname : outside w1-
sethostname setdomainname : outside r1-
fstatat : outside -sw-
readlinkat : outside -sw3-
mkdirat mkfifoat unlinkat : outside -s-
faccessat fchmodat : outside -s--
fchownat : outside -s---
renameat : outside -s-s
linkat : outside -s-s-
symlinkat : outside s-s
chown lchown mknod : outside s--
utimes : outside sR
futimens : outside -R
utimensat : outside -sR-
shm_open : outside s--
sem_open : outside s- : null
sem_init : outside w--
sem_wait sem_trywait sem_post sem_destroy sem_close : outside w
sem_timedwait : outside wr
sem_getvalue : outside rw
socketpair : outside ---w
sendmsg : outside -r-
recvmsg : outside -w-
getnameinfo : outside r1-W3-W5--
gethostbyaddr : outside r1-- : null
getservbyname : outside sS : null
inet_network : outside s
getprotobyname getnetbyname : outside s : null
getitimer : outside -w
setitimer : outside -rW
clock_nanosleep : outside --rW
timespec_get : outside w-
timer_create : outside -Rw
timer_settime : outside --rW
timer_gettime : outside -w
pselect : outside -WWWRR
sigpending : outside w
sigsuspend : outside r
sigwait : outside rw
sigwaitinfo : outside rW
sigtimedwait : outside rWr
sigaltstack : outside RW
sched_setparam : outside -r
sched_getparam : outside -w
sched_setscheduler : outside --r
tcgetattr : outside -w
tcsetattr : outside --r
cfgetispeed cfgetospeed : outside r
cfsetispeed cfsetospeed cfsetspeed : outside w-
cfmakeraw : outside w
getdelim : outside ww-r
ttyname_r : outside -w2-
readdir_r : outside www
scandir : outside sw--
fdopendir : outside - : null
tempnam : outside SS : null
mkstemps : outside t-
setbuffer : outside rW-
fread_unlocked : outside w--r
fwrite_unlocked : outside r--r
fputc_unlocked putc_unlocked : outside -r
fgetc_unlocked getc_unlocked fflush_unlocked feof_unlocked ferror_unlocked : outside r
clearerr_unlocked fileno_unlocked : outside r
vdprintf : outside -s-
execl execlp execle : outside ss
mbrtowc : outside WS-W
mbrlen : outside S-W
wcrtomb : outside W-W
mbsrtowcs wcsrtombs : outside Ww-W
wcstok : outside Wrw : null
wcsxfrm : outside Wr-
wcsftime : outside w-rr
wctype wctrans nan nanf nanl : outside s
wcstoimax wcstoumax : outside rW-
imaxdiv : outside --
nrand48 jrand48 : outside w
erand48 seed48 lcong48 : outside w
fegetenv feholdexcept : outside w
fegetexceptflag : outside w-
fesetexceptflag : outside r-
getpass : outside s : null
dlclose : outside r
remquo remquof remquol : outside --w
frexpl modfl : outside -w
sincosl : outside -ww
lgamma_r lgammaf_r : outside -w
swab : outside rw-
strfry : outside t
memfrob : outside w1-
strerror_r : outside -w2-
strverscmp : outside ss
strcasestr : outside ss : null
basename dirname : outside T
getpwuid getgrgid getlogin getpwent getgrent gethostent getservent getprotoent ttyname : outside - : null
getprotobynumber dlerror ptsname getusershell get_current_dir_name : outside - : null
getservbyport : outside -S : null
secure_getenv canonicalize_file_name ether_aton getdate : outside s : null
strnstr : outside ss- : null
if_indextoname : outside -w : null
setmntent crypt : outside ss : null
textdomain : outside S : null
bindtextdomain : outside sS : null
newlocale : outside -S- : null
tsearch tfind tdelete : outside -W- : null
mmap : outside ------ : minus
mremap shmat sbrk : outside ---- : minus
"""

/*
 * Prints the libc constants and struct offsets that dev.bascule.ffi writes out by hand, for the layout-conformance
 * test. One line per item: constant NAME VALUE | struct NAME SIZE | field STRUCT NAME OFFSET
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mempolicy.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#define MADV_PAGEOUT 21
#endif
#define HUGE_SHIFT MAP_HUGE_SHIFT

#define S(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define F(name, field) printf("field %s %s %zu\n", #name, #field, offsetof(struct name, field))
#define C(name) printf("constant %s %lld\n", #name, (long long)(name))

int main(void)
{
    C(O_RDONLY);
    C(O_WRONLY);
    C(O_RDWR);
    C(O_CREAT);
    C(O_EXCL);
    C(O_TRUNC);
    C(O_NONBLOCK);
    C(O_CLOEXEC);
    C(O_DIRECT);
    C(O_NOFOLLOW);
    C(O_SYNC);
    C(PROT_NONE);
    C(PROT_READ);
    C(PROT_WRITE);
    C(MAP_SHARED);
    C(MAP_PRIVATE);
    C(MAP_FIXED);
    C(MAP_ANONYMOUS);
    C(MAP_POPULATE);
    C(MAP_HUGETLB);
    C(HUGE_SHIFT);
    C(MFD_CLOEXEC);
    C(MFD_ALLOW_SEALING);
    C(MFD_HUGETLB);
    C(F_SEAL_SEAL);
    C(F_SEAL_SHRINK);
    C(F_SEAL_GROW);
    C(F_GETFD);
    C(F_ADD_SEALS);
    C(F_SETFL);
    C(F_GET_SEALS);
    C(MADV_HUGEPAGE);
    C(MADV_DONTFORK);
    C(MADV_COLD);
    C(MADV_PAGEOUT);
    C(MADV_POPULATE_WRITE);
    C(POLLIN);
    C(POLLOUT);
    C(POLLERR);
    C(POLLHUP);
    C(SIGKILL);
    C(SIGTERM);
    C(SIGCONT);
    C(SIGSTOP);
    C(HUGETLBFS_MAGIC);
    C(TMPFS_MAGIC);
    C(ST_RDONLY);

    C(EPERM);
    C(ENOENT);
    C(ESRCH);
    C(EINTR);
    C(EIO);
    C(ENXIO);
    C(E2BIG);
    C(ENOEXEC);
    C(EBADF);
    C(ECHILD);
    C(EAGAIN);
    C(ENOMEM);
    C(EACCES);
    C(EFAULT);
    C(ENOTBLK);
    C(EBUSY);
    C(EEXIST);
    C(EXDEV);
    C(ENODEV);
    C(ENOTDIR);
    C(EISDIR);
    C(EINVAL);
    C(ENFILE);
    C(EMFILE);
    C(ENOTTY);
    C(ETXTBSY);
    C(EFBIG);
    C(ENOSPC);
    C(ESPIPE);
    C(EROFS);
    C(EMLINK);
    C(EPIPE);
    C(EDOM);
    C(ERANGE);
    C(EDEADLK);
    C(ENAMETOOLONG);
    C(ENOLCK);
    C(ENOSYS);
    C(ENOTEMPTY);
    C(ELOOP);
    C(ENOMSG);
    C(EIDRM);
    C(ECHRNG);
    C(EL2NSYNC);
    C(EL3HLT);
    C(EL3RST);
    C(ELNRNG);
    C(EUNATCH);
    C(ENOCSI);
    C(EL2HLT);
    C(EBADE);
    C(EBADR);
    C(EXFULL);
    C(ENOANO);
    C(EBADRQC);
    C(EBADSLT);
    C(EBFONT);
    C(ENOSTR);
    C(ENODATA);
    C(ETIME);
    C(ENOSR);
    C(ENONET);
    C(ENOPKG);
    C(EREMOTE);
    C(ENOLINK);
    C(EADV);
    C(ESRMNT);
    C(ECOMM);
    C(EPROTO);
    C(EMULTIHOP);
    C(EDOTDOT);
    C(EBADMSG);
    C(EOVERFLOW);
    C(ENOTUNIQ);
    C(EBADFD);
    C(EREMCHG);
    C(ELIBACC);
    C(ELIBBAD);
    C(ELIBSCN);
    C(ELIBMAX);
    C(ELIBEXEC);
    C(EILSEQ);
    C(ERESTART);
    C(ESTRPIPE);
    C(EUSERS);
    C(ENOTSOCK);
    C(EDESTADDRREQ);
    C(EMSGSIZE);
    C(EPROTOTYPE);
    C(ENOPROTOOPT);
    C(EPROTONOSUPPORT);
    C(ESOCKTNOSUPPORT);
    C(EOPNOTSUPP);
    C(EPFNOSUPPORT);
    C(EAFNOSUPPORT);
    C(EADDRINUSE);
    C(EADDRNOTAVAIL);
    C(ENETDOWN);
    C(ENETUNREACH);
    C(ENETRESET);
    C(ECONNABORTED);
    C(ECONNRESET);
    C(ENOBUFS);
    C(EISCONN);
    C(ENOTCONN);
    C(ESHUTDOWN);
    C(ETOOMANYREFS);
    C(ETIMEDOUT);
    C(ECONNREFUSED);
    C(EHOSTDOWN);
    C(EHOSTUNREACH);
    C(EALREADY);
    C(EINPROGRESS);
    C(ESTALE);
    C(EUCLEAN);
    C(ENOTNAM);
    C(ENAVAIL);
    C(EISNAM);
    C(EREMOTEIO);
    C(EDQUOT);
    C(ENOMEDIUM);
    C(EMEDIUMTYPE);
    C(ECANCELED);
    C(ENOKEY);
    C(EKEYEXPIRED);
    C(EKEYREVOKED);
    C(EKEYREJECTED);
    C(EOWNERDEAD);
    C(ENOTRECOVERABLE);
    C(ERFKILL);
    C(EHWPOISON);

    C(RLIMIT_NOFILE);
    C(RLIMIT_MEMLOCK);
    C(RLIMIT_AS);
    C(SYS_mbind);
    C(SYS_set_mempolicy);
    C(SYS_move_pages);
    C(MPOL_BIND);
    C(MPOL_PREFERRED);
    C(SOCK_STREAM);
    C(SOCK_SEQPACKET);
    C(SO_PEERCRED);
    C(MSG_CTRUNC);
    C(MSG_TRUNC);
    C(MSG_DONTWAIT);
    C(MSG_NOSIGNAL);
    C(MSG_CMSG_CLOEXEC);
    C(SCM_RIGHTS);
    C(AT_EMPTY_PATH);
    C(STATX_BASIC_STATS);
    C(_SC_PAGESIZE);

    S(msghdr);
    F(msghdr, msg_iov);
    F(msghdr, msg_iovlen);
    F(msghdr, msg_control);
    F(msghdr, msg_controllen);
    F(msghdr, msg_flags);
    S(cmsghdr);
    F(cmsghdr, cmsg_len);
    F(cmsghdr, cmsg_level);
    F(cmsghdr, cmsg_type);
    S(iovec);
    F(iovec, iov_base);
    F(iovec, iov_len);
    S(epoll_event);
    F(epoll_event, events);
    F(epoll_event, data);
    S(pollfd);
    F(pollfd, fd);
    F(pollfd, events);
    F(pollfd, revents);
    S(ucred);
    F(ucred, pid);
    F(ucred, uid);
    S(statx);
    F(statx, stx_uid);
    F(statx, stx_mode);
    F(statx, stx_size);
    S(statfs);
    F(statfs, f_type);
    F(statfs, f_bsize);
    F(statfs, f_blocks);
    F(statfs, f_bavail);
    S(rlimit);
    F(rlimit, rlim_cur);
    F(rlimit, rlim_max);
    return 0;
}

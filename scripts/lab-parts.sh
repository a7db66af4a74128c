# What the virtual machine of scripts/lab is made of: kernel, QEMU and tools as Debian packages in a cache folder, and
# its initial file system; sourced, not run.

. "$BASCULE_HOME/scripts/debian.sh"
CACHE=$LAB
SUITE=${BASCULE_LAB_SUITE:-forky}
MODULES=(virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci netfs 9pnet 9pnet_virtio 9p irqbypass
    vfio vfio_iommu_type1 vfio-pci-core vfio-pci failover net_failover virtio_net dca i2c-algo-bit igb)
# What soft-RoCE needs, in the order in which the machine loads them.
RDMA_MODULES=(dummy udp_tunnel ip6_udp_tunnel ib_core ib_uverbs_support ib_uverbs rdma_rxe)
RDMA=$BASCULE_TARGET/lab-rdma

# -------------------------------------------------------------------------------------------------------------- set-up

# The reason why there is no lab here, or nothing.
no_lab() {
    [[ $(uname -m) == x86_64 ]] || { printf 'the lab needs an x86-64 machine'; return; }
    [[ -f $CACHE/ready ]] && return
    [[ -z $(no_apt) ]] || { no_apt; return; }
    command -v xz >/dev/null || printf 'no xz; apt-get install xz-utils'
}

fetch_kernel() {
    local name packages
    say "lab: reading the package list of $SUITE"
    read_suite || return 1
    name=$(suite_apt apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: linux-image-//p' | grep -m 1 -v '^amd64')
    [[ -n $name ]] || { say "lab: $SUITE has no linux-image-amd64"; return 1; }
    say "lab: fetching kernel $name (110 MB)"
    packages=("linux-binary-$name" "linux-modules-$name")
    suite_apt apt-cache show "${packages[0]}" >/dev/null 2>&1 || packages=("linux-image-$name")
    mkdir -p "$CACHE/kernel"
    rm -rf "$CACHE/kernel/root"
    unpack suite_get "$CACHE/kernel/root" "${packages[@]}" || return 1
    cp "$(find "$CACHE/kernel/root" -name 'vmlinuz*' -type f | head -n 1)" "$CACHE/vmlinuz"
}

has_igb() { "$@" -device help 2>/dev/null | grep -q '"igb"'; }

# Sets qemu to this machine's QEMU if it is new enough for SR-IOV, else to a fetched one, else to what there is.
choose_qemu() {
    local own
    if [[ -n ${BASCULE_LAB_QEMU:-} ]]; then qemu=$BASCULE_LAB_QEMU; return; fi
    if (( ${#cards[@]} + ${#served[@]} > 0 )); then qemu=$BASCULE_HOME/scripts/lab-qemu; return; fi # the one that has vfio-user-pci
    own=$(command -v qemu-system-x86_64 || true)
    if [[ -n $own ]] && has_igb "$own"; then
        qemu=$own
    elif "$BASCULE_HOME/scripts/lab-qemu" --check >/dev/null || "$BASCULE_HOME/scripts/lab-qemu" --set-up >/dev/null; then
        qemu=$BASCULE_HOME/scripts/lab-qemu
    else
        fetch_tools qemu-system-x86_64 || return 1
        qemu=$(tool qemu-system-x86_64)
    fi
}

# busybox and cpio, and QEMU on demand: those of this machine, else their packages, unpacked into the cache and not installed.
fetch_tools() {
    local missing=() names
    [[ -z ${1:-} ]] || [[ -n $(tool "$1") ]] || missing+=(qemu-system-x86)
    [[ -x /bin/busybox ]] && ! ldd /bin/busybox >/dev/null 2>&1 || missing+=(busybox-static)
    command -v cpio >/dev/null || missing+=(cpio)
    (( ${#missing[@]} > 0 )) || return 0
    say "lab: fetching ${missing[*]} with what they need"
    names=$(with_needed apt-get "${missing[@]}")
    # shellcheck disable=SC2086 # names on purpose
    unpack apt-get "$CACHE/tools" $names
}

# tool NAME: its path here or in the cache
tool() {
    local place
    for place in "$CACHE/tools/usr/bin/$1" "$CACHE/tools/bin/$1"; do
        [[ -x $place ]] && { printf '%s' "$place"; return; }
    done
    command -v "$1" || true
}

with_libraries() {
    local triplet
    triplet=$(uname -m)-linux-gnu
    LD_LIBRARY_PATH=$CACHE/tools/usr/lib/$triplet:$CACHE/tools/lib/$triplet${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        QEMU_MODULE_DIR=$CACHE/tools/usr/lib/$triplet/qemu "$@"
}

guest_init() {
    cat <<'END'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc none /proc; $b mount -t sysfs none /sys; $b mount -t devtmpfs none /dev
[ -e /proc/modules ] && while read -r m; do [ -f /m/$m.ko ] && $b insmod /m/$m.ko; done </m/order
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=500000,ro,cache=loose host /host || echo "GUEST: no host share"
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=500000 work /share || echo "GUEST: no share for results"
. /share/settings
$b mount --bind "/host$TREE" /tree
$b mount -t proc none /host/proc; $b mount --rbind /dev /host/dev; $b mount --rbind /sys /host/sys
for d in /tmp /run; do $b mount -t tmpfs none /host$d; done
[ -e "/host$TREE/pom.xml" ] || { $b mkdir -p "/host$TREE"; $b mount --bind /tree "/host$TREE"; }
$b mount --bind /share /host/mnt
$b mkdir -p /dev/hugepages /dev/pts /dev/shm
$b mount -t hugetlbfs none /host/dev/hugepages; $b mount -t tmpfs none /host/dev/shm; $b mount -t devpts none /host/dev/pts
for f in bpf:/sys/fs/bpf cgroup2:/sys/fs/cgroup debugfs:/sys/kernel/debug tracefs:/sys/kernel/tracing; do
    $b mount -t ${f%%:*} none /host${f#*:} 2>/dev/null
done
$b ifconfig lo 127.0.0.1 up 2>/dev/null
echo "$HUGEPAGES" >/proc/sys/vm/nr_hugepages
echo 2 >/proc/sys/kernel/printk_devkmsg 2>/dev/null
$b stty -F /dev/ttyS1 raw 2>/dev/null
$b cut -d' ' -f1 /proc/uptime >/share/up
$b chroot /host /bin/bash /mnt/command >/dev/ttyS1 2>&1 </dev/null
echo $? >/share/status
$b sync
$b poweroff -f
END
}

# make_initrd FILE MODULE...
make_initrd() {
    local root=$CACHE/initrd file=$1 module found busybox
    shift
    rm -rf "$root"
    mkdir -p "$root"/{bin,dev,proc,sys,host,share,tree,m}
    busybox=$(tool busybox) && cp "$busybox" "$root/bin/busybox"
    for module in "$@"; do
        printf '%s\n' "$module" >>"$root/m/order"
        found=$(find "$CACHE/kernel/root" \( -name "$module.ko.xz" -o -name "$module.ko" \) | head -n 1)
        case $found in
            *.xz) xz -dc "$found" >"$root/m/$module.ko" ;;
            *.ko) cp "$found" "$root/m/" ;;
        esac
    done
    guest_init >"$root/init"
    chmod 755 "$root/init"
    (cd "$root" && find . | with_libraries "$(tool cpio)" -o -H newc --quiet --owner 0:0 | gzip -1) >"$file"
    rm -rf "$root"
}

# Verbs and the tools of RDMA, where this machine has them not: unpacked into the tree, which the machine sees.
fetch_rdma() {
    local names
    [[ -f $RDMA/ready ]] && return
    mkdir -p "$RDMA"
    names=$(with_needed apt-get libibverbs1 ibverbs-providers libibverbs-dev iproute2) || return 1
    # shellcheck disable=SC2086 # names on purpose
    [[ -z $names ]] || { say "lab: fetching $(wc -w <<<"$names") packages for RDMA"; unpack apt-get "$RDMA/root" $names; } || return 1
    : >"$RDMA/ready"
}

# For the machine's shell: an RDMA device rxe0 over what carries its address, and what finds its libraries and headers.
rdma_commands() {
    local triplet
    triplet=$(uname -m)-linux-gnu
    printf 'RDMA=%q ADDRESS=%q\n' "$RDMA/root" "$1"
    printf 'export IBV_DRIVERS=rxe PATH=$PATH:$RDMA/usr/bin:$RDMA/usr/sbin:$RDMA/bin:$RDMA/sbin CPATH=$RDMA/usr/include\n'
    printf 'export LD_LIBRARY_PATH=$RDMA/usr/lib/%s:$RDMA/lib/%s:$RDMA/usr/lib/%s/libibverbs\n' "$triplet" "$triplet" "$triplet"
    cat <<'END'
rdma_up() {
    local netdev=rd0 device
    for device in /sys/class/net/*; do
        [[ $(cat "$device/address") == 52:54:00:ba:5d:* ]] && netdev=${device##*/}
    done
    [[ -e /sys/class/net/$netdev ]] || ip link add $netdev type dummy
    ip addr add "$ADDRESS/24" dev $netdev && ip link set $netdev up && rdma link add rxe0 type rxe netdev $netdev || return
    for _ in {1..100}; do
        grep -qs ffff /sys/class/infiniband/rxe0/ports/1/gids/1 && return
        sleep 0.1
    done
    echo "lab: rxe0 has no address" >&2
    return 1
}
rdma_up || exit 99
END
}

set_up_rdma() {
    [[ -f $CACHE/initrd-rdma.gz ]] ||
        make_initrd "$CACHE/initrd-rdma.gz" "${MODULES[@]}" "${RDMA_MODULES[@]}" || die "no lab: cannot make the initial file system"
    fetch_rdma || die "no lab: cannot fetch verbs; install them: apt-get install libibverbs1 ibverbs-providers iproute2"
}

set_up() {
    local recipe reason
    recipe=$(printf '%s\n' "$SUITE" "$MIRROR" "${MODULES[@]}" "$(guest_init)" | cksum)
    if [[ -f $CACHE/ready && $(<"$CACHE/ready") == "$recipe" ]]; then
        choose_qemu
        return
    fi
    rm -f "$CACHE/initrd-rdma.gz"
    reason=$(no_lab)
    [[ -z $reason ]] || die "no lab: $reason"
    mkdir -p "$CACHE" || die "cannot write to $CACHE; set BASCULE_LAB_CACHE"
    rm -f "$CACHE/ready"
    [[ -f $CACHE/vmlinuz && -d $CACHE/kernel/root ]] || fetch_kernel || die "no lab: cannot fetch a kernel from $MIRROR ($SUITE); set BASCULE_LAB_MIRROR to a Debian mirror"
    fetch_tools || die "no lab: cannot fetch busybox and cpio; install them: apt-get install busybox-static cpio"
    choose_qemu || die "no lab: cannot fetch QEMU; install it: apt-get install qemu-system-x86"
    make_initrd "$CACHE/initrd.gz" "${MODULES[@]}" || die "no lab: cannot make the initial file system"
    printf '%s\n' "$recipe" >"$CACHE/ready"
    say "lab: ready in $CACHE"
}

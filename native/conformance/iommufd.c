/*
 * Prints what dev.bascule.ffi.Iommufd writes out by hand, for the layout-conformance test; needs the headers of Linux
 * 6.6 or newer. One line per item: constant NAME VALUE | struct NAME SIZE | field STRUCT NAME OFFSET
 */
#include <linux/iommufd.h>
#include <linux/vfio.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>

#define S(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define F(name, field) printf("field %s %s %zu\n", #name, #field, offsetof(struct name, field))
#define C(name) printf("constant %s %lld\n", #name, (long long)(name))

int main(void)
{
    C(IOMMU_DESTROY);
    C(IOMMU_IOAS_ALLOC);
    C(IOMMU_IOAS_IOVA_RANGES);
    C(IOMMU_IOAS_MAP);
    C(IOMMU_IOAS_UNMAP);
    C(IOMMU_IOAS_MAP_FIXED_IOVA);
    C(IOMMU_IOAS_MAP_WRITEABLE);
    C(IOMMU_IOAS_MAP_READABLE);
    C(VFIO_DEVICE_BIND_IOMMUFD);
    C(VFIO_DEVICE_ATTACH_IOMMUFD_PT);
    S(iommu_destroy);
    F(iommu_destroy, id);
    S(iommu_ioas_alloc);
    F(iommu_ioas_alloc, out_ioas_id);
    S(iommu_ioas_iova_ranges);
    F(iommu_ioas_iova_ranges, ioas_id);
    F(iommu_ioas_iova_ranges, num_iovas);
    F(iommu_ioas_iova_ranges, allowed_iovas);
    F(iommu_ioas_iova_ranges, out_iova_alignment);
    S(iommu_iova_range);
    F(iommu_iova_range, last);
    S(iommu_ioas_map);
    F(iommu_ioas_map, flags);
    F(iommu_ioas_map, ioas_id);
    F(iommu_ioas_map, user_va);
    F(iommu_ioas_map, length);
    F(iommu_ioas_map, iova);
    S(iommu_ioas_unmap);
    F(iommu_ioas_unmap, ioas_id);
    F(iommu_ioas_unmap, iova);
    F(iommu_ioas_unmap, length);
    F(vfio_device_bind_iommufd, iommufd);
    F(vfio_device_bind_iommufd, out_devid);
    F(vfio_device_attach_iommufd_pt, pt_id);
    return 0;
}

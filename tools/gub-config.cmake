# find_package(gub): the library gub::gub, as `make install` puts it.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(absl)
find_dependency(fmt)
include(${CMAKE_CURRENT_LIST_DIR}/gub-targets.cmake)

// Compiles the parts of Asio and Beast that are not templates.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>

#if defined(BOOST_ASIO_HAS_STD_ALIGNED_ALLOC) || defined(BOOST_ASIO_HAS_BOOST_ALIGN)
#error "Asio must allocate with operator new: base/out_of_memory.h"
#endif

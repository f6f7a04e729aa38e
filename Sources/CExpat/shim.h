#include <expat.h>

// The line that is being read, from 1. Newer releases want XML_GetCurrentLineNumber64 in place of this, which older
// ones do not have.
static inline unsigned long homeward_xml_line(XML_Parser parser) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return XML_GetCurrentLineNumber(parser);
#pragma GCC diagnostic pop
}

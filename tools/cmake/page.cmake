# page.cmake - makes one C file of the page of a report: cmake -DMODULES=a.js;b.js -DDYGRAPHS=folder
# -DCOPYRIGHT=file -DOUTPUT=page.c -P page.cmake
#
# The modules become one: what they import from each other and export is left out, so no two of them may have the same
# name at their top level. Styles and scripts are put into page.html at their marks, and the page is cut where the data
# go: page_head, page_tail.

function(read_text file variable)
    file(READ "${file}" text)
    if(text MATCHES "</script|<!--" AND NOT file MATCHES "\\.html$")
        message(FATAL_ERROR "${file}: '</script' or '<!--' would end the script of a page")
    endif()
    set(${variable} "${text}" PARENT_SCOPE)
endfunction()

set(script "")
foreach(module IN LISTS MODULES)
    read_text("${module}" text)
    string(REGEX REPLACE "\nimport [^\n]*;" "" text "\n${text}")
    string(REGEX REPLACE "\nexport " "\n" text "${text}")
    string(APPEND script "${text}")
endforeach()

set(charts "")
set(chart_style "")
if(DYGRAPHS)
    read_text("${DYGRAPHS}/dygraph.min.js" charts)
    string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" charts "${charts}")
    if(COPYRIGHT) # goes with every copy
        read_text("${COPYRIGHT}" text)
        string(REPLACE "*/" "* /" text "${text}")
        string(PREPEND charts "/*!\n${text}*/\n")
    endif()
    read_text("${DYGRAPHS}/dygraph.min.css" chart_style)
    string(REGEX REPLACE "/\\*# sourceMappingURL=[^\n]*" "" chart_style "${chart_style}")
endif()

read_text(tools/page/style.css style)
read_text(tools/page/page.html page)
string(REPLACE "<!-- style -->" "<style>\n${chart_style}\n${style}</style>" page "${page}")
string(REPLACE "<!-- script -->" "<script>${charts}</script>\n<script type=\"module\">${script}</script>" page "${page}")
string(FIND "${page}" "<!-- data -->" cut)
if(cut LESS 0)
    message(FATAL_ERROR "tools/page/page.html has no place for data")
endif()
string(SUBSTRING "${page}" 0 ${cut} head)
string(SUBSTRING "${page}" ${cut} -1 tail)
string(REPLACE "<!-- data -->" "" tail "${tail}")

# A text as an array of bytes that ends with 0.
function(write_array name text)
    file(WRITE "${OUTPUT}.text" "${text}")
    file(READ "${OUTPUT}.text" bytes HEX)
    file(REMOVE "${OUTPUT}.text")
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n"
        bytes "${bytes}")
    file(APPEND "${OUTPUT}.part" "extern const unsigned char ${name}[];\nconst unsigned char ${name}[] = {\n${bytes}0};\n")
endfunction()

file(WRITE "${OUTPUT}.part" "/* Made of tools/page by tools/cmake/page.cmake. */\n")
write_array(page_head "${head}")
write_array(page_tail "${tail}")
file(RENAME "${OUTPUT}.part" "${OUTPUT}")

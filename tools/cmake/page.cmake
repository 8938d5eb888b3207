# page.cmake - makes one C file of the page of reports and of the view: cmake -DMODULES=a.js;b.js -DREPORT=c.js
# -DVIEW=d.js;e.js -DDYGRAPHS=folder -DCOPYRIGHT=file -DOUTPUT=page.c -P page.cmake
#
# The modules become one: what they import from each other and export is left out, so no two of them may have the same
# name at their top level. Styles and scripts are put into page.html at their marks, and the page is cut into texts:
#
#     page_head   up to where a report has its policy
#     page_body   up to where the data go
#     page_script up to the end of the modules that report and view share
#     page_report the rest of a report, page_view of the view

function(read_text file variable)
    file(READ "${file}" text)
    if(text MATCHES "</script|<!--" AND NOT file MATCHES "\\.html$")
        message(FATAL_ERROR "${file}: '</script' or '<!--' would end the script of a page")
    endif()
    set(${variable} "${text}" PARENT_SCOPE)
endfunction()

function(read_modules variable) # <module...>
    set(script "")
    foreach(module IN LISTS ARGN)
        read_text("${module}" text)
        string(REGEX REPLACE "\nimport [^\n]*;" "" text "\n${text}")
        string(REGEX REPLACE "\nexport " "\n" text "${text}")
        string(APPEND script "${text}")
    endforeach()
    set(${variable} "${script}" PARENT_SCOPE)
endfunction()

read_modules(script ${MODULES})
read_modules(report ${REPORT})
read_modules(view ${VIEW})

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
string(REPLACE "<!-- script -->" "<script>${charts}</script>\n<script type=\"module\">${script}<!-- rest --></script>" page
    "${page}")

# Cuts off what is before a mark.
function(cut_page mark variable)
    string(FIND "${page}" "${mark}" cut)
    if(cut LESS 0)
        message(FATAL_ERROR "tools/page/page.html has no ${mark}")
    endif()
    string(SUBSTRING "${page}" 0 ${cut} before)
    string(SUBSTRING "${page}" ${cut} -1 after)
    string(REPLACE "${mark}" "" after "${after}")
    set(${variable} "${before}" PARENT_SCOPE)
    set(page "${after}" PARENT_SCOPE)
endfunction()

cut_page("<!-- policy -->" head)
cut_page("<!-- data -->" body)
cut_page("<!-- rest -->" shared)

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
write_array(page_body "${body}")
write_array(page_script "${shared}")
write_array(page_report "${report}${page}")
write_array(page_view "${view}${page}")
file(RENAME "${OUTPUT}.part" "${OUTPUT}")

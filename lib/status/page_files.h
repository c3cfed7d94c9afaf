/* SPDX-License-Identifier: Apache-2.0 */
/* page.html, page.css, page_data.js and page.js of this folder, as the build found them. */
#ifndef CE_STATUS_PAGE_FILES_H
#define CE_STATUS_PAGE_FILES_H

extern const char ce_page_html[], ce_page_css[], ce_page_data_js[], ce_page_js[];

#endif

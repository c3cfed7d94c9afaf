# SPDX-License-Identifier: Apache-2.0
"""status.py PAGE SMALL BROWSER [KEEP]: the page of `cluster-env status --html`, used in a real browser as people
use it: pointer, finger and keys, from a phone to a wall, light and dark. SMALL is one of a few healthy nodes. TAP."""
import sys

import chromium

SCREENS = dict(phone=(390, 844), laptop=(1440, 900), wall=(3840, 2160))
count = bad = 0


def ok(what, fine, detail=''):
    global count, bad
    count += 1
    bad += not fine
    print(f'{"ok" if fine else "not ok"} {count} - {what}')
    if not fine:
        print(f'# {detail}'.replace('\n', '\n# '))
    sys.stdout.flush()


def is_(what, got, wanted):
    ok(what, got == wanted, f'got {got!r}, expected {wanted!r}')


# Nothing is wider than the screen but what scrolls by itself; no text is cut off without dots, lies on another or
# is too small; letters can be told from what is behind them.
# A phone's browser makes its window as wide as what does not fit: the screen's own width counts.
MEASURE = '''(wide => {
    const faults = [], box = element => element.getBoundingClientRect();
    const root = document.documentElement;
    if (root.scrollWidth > wide) faults.push(`the page is ${root.scrollWidth} wide`);
    const seen = element => { const b = box(element); return b.width > 0 && b.height > 0; };
    const texts = [...document.querySelectorAll('h1, h2, p, .total span, .total b, dt, dd, .name span:last-child, td.text, th.text, thead button, li, .finding div')]
        .filter(element => seen(element) && element.textContent.trim() && !element.closest('aside') && getComputedStyle(element).display !== 'none');
    const boxes = texts.map(element => [element, box(element)]).sort((a, b) => a[1].top - b[1].top);
    boxes.forEach(([one, a], i) => {
        for (let k = i + 1; k < boxes.length && boxes[k][1].top < a.bottom - 1; k++) {
            const [other, b] = boxes[k];
            if (one.contains(other) || other.contains(one)) continue;
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1 &&
                !(one.closest('tbody th') || other.closest('tbody th')))
                faults.push(`'${one.textContent.slice(0, 30)}' lies on '${other.textContent.slice(0, 30)}'`);
        }
        if (parseFloat(getComputedStyle(one).fontSize) < 11) faults.push(`'${one.textContent.slice(0, 30)}' is too small`);
        if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline' &&
            getComputedStyle(one).textOverflow !== 'ellipsis' && !one.closest('thead'))
            faults.push(`'${one.textContent.slice(0, 30)}' is cut`);
    });
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = element => { for (; element; element = element.parentElement) {
        const colour = rgb(getComputedStyle(element).backgroundColor);
        if (colour.length < 4 || colour[3] > 0) return colour; } return [255, 255, 255]; };
    for (const element of document.querySelectorAll('.mark, .cell.fail, .cell.warn, .cell.unknown, .cell.pass, .tile, h1, h2, p, dd, dt, td.text, .name span, thead button')) {
        if (!seen(element) || !element.textContent.trim() || element.closest('.ignored, .faint') || element.matches('.mark.quiet, .ignored')) continue;
        const a = light(rgb(getComputedStyle(element).color)), b = light(behind(element));
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) faults.push(`'${element.textContent.slice(0, 20)}' (${element.className}) has a contrast of ${contrast.toFixed(1)}`);
    }
    return [...new Set(faults)].slice(0, 20);
})'''

SHOWN = 'document.getElementById("shown").textContent'


def text(browser, selector):
    return browser.run(f'(document.querySelector({selector!r}) || {{textContent: null}}).textContent')


def looks(browser, page, keep):
    for name, (width, height) in SCREENS.items():
        for dark in (False, True):
            theme = 'dark' if dark else 'light'
            browser.screen(width, height, name == 'phone', dark)
            browser.visit(page)
            faults = browser.run(f'{MEASURE}({width})')
            ok(f'{name}, {theme}: nothing overflows, overlaps, is cut, too small or too pale', not faults, '\n'.join(faults))
            ground = browser.run('getComputedStyle(document.body).backgroundColor')
            ok(f'{name}, {theme}: the ground is {theme}', (int(ground[4:].split(',')[0]) < 80) == dark, ground)
            if keep:
                browser.picture(f'{keep}/status-{name}-{theme}.png')
                browser.picture(f'{keep}/status-{name}-{theme}-whole.png', whole=True)
        browser.screen(width, height, name == 'phone')
        browser.visit(page)
        (browser.tap if name == 'phone' else browser.click)('.tile[aria-label^="gpu-064"]')
        faults = browser.run(f'{MEASURE}({width})')
        ok(f'{name}: nor with details open', not faults, '\n'.join(faults))
        inside = browser.run('(() => { const b = document.getElementById("details").getBoundingClientRect(); '
                             'return b.left >= 0 && b.right <= innerWidth && b.top >= 0 && b.bottom <= innerHeight + 1 })()')
        ok(f'{name}: the details are on the screen', inside)
        ok(f'{name}: with what was measured', '198' in (text(browser, '.measure') or ''), text(browser, '#details'))
        kinds = browser.run('[...document.querySelectorAll("#details h3")].map(one => one.textContent.split(" in ")[0]).join(" ")')
        ok(f'{name}: by each test', 'rdma.write gpu.d2h nccl.allreduce nccl.allreduce.gang' in kinds, kinds)
        if keep:
            browser.picture(f'{keep}/status-{name}-details.png')


def holds(browser, page):
    browser.screen(*SCREENS['laptop'])
    browser.visit(page)
    is_('a tile for each node', browser.run('document.querySelectorAll(".tile").length'), 512)
    is_('every health but those that this cluster lacks', browser.run(
        '[...document.querySelectorAll(".total")].map(e => e.dataset.health).join()'), 'down,fault,out,unknown,warn,unseen,ok')
    is_('every verdict', browser.run('["fail", "warn", "unknown", "pass", "skip", "quiet", "blank", "ignored"]'
                                     '.filter(kind => !document.querySelector(`td.cell.${kind}`)).join()'), '')
    is_('the worst first', browser.run('[...document.querySelectorAll("tbody .name .mark")].map(e => e.textContent)'
                                       '.join("").replace(/(.)\\1+/g, "$1")'), 'DFO?!–✓')
    is_('every kind of mark has a letter of its own within its table: no colour is needed', browser.run(
        '(() => { for (const set of [healths, verdicts]) { const letters = Object.values(set).map(([letter]) => letter);'
        ' if (new Set(letters).size !== letters.length) return letters.join(); } return ""; })()'), '')
    is_('the shown nodes are counted', browser.run(SHOWN), '512 nodes')
    is_('nothing of it comes from elsewhere', browser.run('performance.getEntriesByType("resource").length'), 0)


def pointer(browser, page):
    browser.screen(*SCREENS['laptop'])
    browser.visit(page)
    browser.hover('.tile[aria-label^="gpu-091"]')
    ok('hover on a tile tells the node and why', (text(browser, '#tip') or '').startswith('gpu-091: fault') and
       'Xid 79' in text(browser, '#tip'), text(browser, '#tip'))
    browser.hover('td.cell.warn:not(.ignored)')
    ok('hover on a cell tells the check and what it found', '200 Gb/s' in text(browser, '#tip') and 'ib.port.rate' in text(browser, '#tip'),
       text(browser, '#tip'))
    browser.hover('h1')
    is_('and no more when the pointer is gone', browser.run('document.getElementById("tip").hidden'), True)
    browser.click('td.cell.fail')
    ok('click on a cell opens its nodes, the finding marked', 'mlx5_4/1 DOWN' in (text(browser, '.finding.chosen') or ''), text(browser, '#details'))
    ok('of several equal nodes each is named', 'equal nodes' in text(browser, '#details') and
       browser.run('document.querySelectorAll(".members button").length') == 15, text(browser, '#details')[:200])
    browser.click('.members button:nth-child(2)')
    is_('and opened by a click', text(browser, '#details h2 bdi'), 'gpu-051')
    ok('with reason, remedy and time', all(word in text(browser, '#details') for word in
                                           ('drained since 2026-', '[cluster-env ib.port.state]', 'Remedy: check cable', 'of job 4051')), text(browser, '#details'))
    browser.click('.close')
    ok('and closed again', 'Choose a node' in text(browser, '#details'))


def filters(browser, page):
    browser.screen(*SCREENS['laptop'])
    browser.visit(page)
    browser.click('.total[data-health="warn"]')
    is_('a total is a filter', browser.run(SHOWN), '6 of 512 nodes')
    is_('and says so', browser.run('document.querySelector(".total[data-health=warn]").getAttribute("aria-pressed")'), 'true')
    is_('the map keeps all nodes, others faint', browser.run('document.querySelectorAll(".tile:not(.faint)").length'), 6)
    browser.click('.total[data-health="down"]')
    is_('two totals add up', browser.run(SHOWN), '9 of 512 nodes')
    browser.key('Escape')
    is_('Escape takes filters back', browser.run(SHOWN), '512 nodes')
    browser.key('/')
    browser.type('Xid bus')
    is_('/ is the search: all words have to be there, in any case', browser.run(SHOWN), '5 of 512 nodes')
    browser.run('document.getElementById("search").value = ""')
    browser.type('zzz')
    ok('nothing found is said', 'No node is like that' in text(browser, '#heat'), text(browser, '#heat'))
    browser.key('Escape')
    browser.click('[data-find="gpu.count"]')
    is_("a check's name shows the nodes with it", browser.run(SHOWN), '2 of 512 nodes')
    browser.click('[data-find="gpu.count"]')
    is_('and all again', browser.run(SHOWN), '512 nodes')
    browser.run('(() => { const s = document.getElementById("group"); s.value = "none"; s.dispatchEvent(new Event("change", {bubbles: true})); })()')
    is_('a row for each node', browser.run('document.querySelectorAll("tbody tr").length'), 512)


def keys(browser, page):
    browser.screen(*SCREENS['laptop'])
    browser.visit(page)
    focused = 'document.activeElement.getAttribute("aria-label") || document.activeElement.id'
    for _ in range(20):
        browser.key('Tab')
        if browser.run('document.activeElement.classList.contains("tile")'):
            break
    ok('Tab comes to the map', (browser.run(focused) or '').startswith('gpu-000'), browser.run(focused))
    browser.key('ArrowRight')
    browser.key('ArrowDown')
    browser.key('ArrowUp')
    is_('arrows move there and back', browser.run(focused), 'gpu-001: ok')
    ok('focus tells what hover tells', 'gpu-001' in text(browser, '#tip'))
    browser.key('Enter')
    is_('Enter opens', text(browser, '#details h2 bdi'), 'gpu-001')
    is_('and goes there', browser.run(focused), 'Details')
    browser.key('Escape')
    is_('Escape closes, and comes back', browser.run(focused), 'gpu-001: ok')
    browser.key('Tab')
    while not browser.run('document.activeElement.classList.contains("name")'):
        browser.key('Tab')
    browser.key('ArrowDown')
    browser.key('ArrowRight')
    ok('arrows move in the table, too', browser.run('document.activeElement.matches("tr[data-row=\\"1\\"] td:nth-child(2)")'), browser.run(focused))
    is_('what has the focus is seen', browser.run('getComputedStyle(document.activeElement).outlineStyle'), 'solid')


def hostile(browser, page):
    browser.screen(*SCREENS['laptop'])
    browser.visit(page)
    is_('hostile words did nothing', browser.run('[document.title, document.images.length, document.querySelectorAll("aside script").length].join()'),
        'Cluster status,0,0')
    browser.click('.tile[aria-label^="gpu-401"]')
    ok('they are text', '</script><script>document.title="owned"</script><img src=x onerror=alert(1)>' in text(browser, '.finding'),
       text(browser, '#details'))
    is_('and nothing but text', browser.run('document.querySelectorAll("#details img, #details script").length'), 0)
    browser.hover('.tile[aria-label^="gpu-048"]')
    ok('a reason, too', '<b>ask</b> Ann & Bob </script>' in text(browser, '#tip'), text(browser, '#tip'))


def measures(browser, page):
    """What the measure must find, where it is there."""
    for what, style in (('is wide', 'main { min-width: 700px }'), ('lies on', 'h2 { margin-bottom: -1.5rem }'),
                        ('contrast', '.total span { color: #bbb }'), ('too small', 'p { font-size: 8px }'),
                        ('is cut', '.headline p { width: 3rem; overflow: hidden; white-space: nowrap }')):
        browser.screen(*SCREENS['phone'], phone=True)
        browser.visit(page)
        browser.run(f'document.head.append(Object.assign(document.createElement("style"), {{textContent: {style!r}}}))')
        faults = browser.run(f'{MEASURE}(390)')
        what = what.replace('is wide', 'wide')
        ok(f'the measure finds a fault: {what}', any(what in fault for fault in faults), faults)


def small(browser, page):
    browser.screen(*SCREENS['phone'], phone=True)
    browser.visit(page)
    is_('a few nodes that are well: one row, no check', browser.run('[document.querySelectorAll("tbody tr").length, '
                                                                    'document.querySelectorAll("td.cell").length].join()'), '1,0')
    faults = browser.run(f'{MEASURE}(390)')
    ok('and nothing overlaps', not faults, '\n'.join(faults))


def main():
    page, few, program = sys.argv[1:4]
    keep = sys.argv[4] if len(sys.argv) > 4 else None
    try:
        browser = chromium.Chromium(program)
    except (OSError, RuntimeError) as error:
        print(f'1..0 # SKIP {program} cannot run here: {str(error)[:200]}')
        return 0
    try:
        looks(browser, page, keep)
        for part in (measures, holds, pointer, filters, keys, hostile):
            part(browser, page)
        small(browser, few)
        ok('the browser has nothing to complain about', not browser.complaints(), '\n'.join(browser.complaints()[:5]))
    finally:
        browser.close()
    print(f'1..{count}')
    return 1 if bad else 0


sys.exit(main())

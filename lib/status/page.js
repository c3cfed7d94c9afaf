// SPDX-License-Identifier: Apache-2.0
// Draws what page_data.js has, and answers to pointer and keys.
'use strict';

// ---------------------------------------------------------------- the head of the page

function drawHead() {
    byId('when').textContent = `${plural(data.nodes.length, 'node')}, ${clock(data.time)}, from ${data.source}`;
    for (const [health, [letter, meaning]] of Object.entries(healths)) {
        if (!data.summary[health])
            continue;
        const button = make('button', { className: 'total', title: meaning, data: { health } },
            mark(health, letter), make('b', { text: data.summary[health] }), make('span', { text: health }));
        button.setAttribute('aria-pressed', 'false');
        byId('totals').append(button);
    }
    for (const note of data.notes)
        byId('notes').append(make('li', { text: note }));
}

function drawLegend() {
    const entry = (kind, [letter, meaning], word) => make('div', {},
        make('dt', {}, mark(kind, letter), make('span', { text: word })), make('dd', { text: meaning }));
    byId('legend').append(
        ...Object.entries(healths).map(([health, words]) => entry(health, words, health)),
        ...Object.entries(verdicts).filter(([verdict]) => verdict !== 'warn' && verdict !== 'unknown' && verdict !== 'blank')
            .map(([verdict, words]) => entry(verdict, words, verdict === 'quiet' ? '' : verdict)));
}

// ---------------------------------------------------------------- the map

function drawMap() {
    const collator = new Intl.Collator('en', { numeric: true });
    const inOrder = [...data.nodes.keys()].sort((a, b) => collator.compare(data.nodes[a].name, data.nodes[b].name));
    byId('map').append(...inOrder.map((index, place) => {
        const { name, health, word } = data.nodes[index];
        const tile = make('button', {
            className: `tile ${health}`, text: health === 'ok' ? '' : healths[health][0], tabIndex: place ? -1 : 0, data: { index },
        });
        tile.setAttribute('aria-label', `${name}: ${health}${word ? `, ${word}` : ''}`);
        return tile;
    }));
}

function shadeMap() {
    for (const tile of byId('map').children) {
        tile.classList.toggle('faint', !matches(data.nodes[tile.dataset.index]));
        tile.classList.toggle('open', Boolean(state.open && state.open.includes(+tile.dataset.index)));
    }
}

// ---------------------------------------------------------------- nodes and checks

// Each row is a list of places in data.nodes.
function rowsOf() {
    const rows = new Map();
    data.nodes.forEach((node, index) => {
        if (!matches(node))
            return;
        const folded = state.group === 'equal' || (state.group === 'well' && node.health === 'ok');
        const key = folded ? node.equal : index;
        rows.set(key, [...(rows.get(key) || []), index]);
    });
    return [...rows.values()];
}

function headRow() {
    const text = word => make('th', { className: 'text', text: word, scope: 'col' });
    return make('thead', {}, make('tr', {}, make('th', { text: 'Node', scope: 'col' }),
        ...checks.map(check => make('th', { className: 'check', scope: 'col' },
            make('button', { text: check, title: `Only nodes with ${check}`, data: { find: check } }))),
        text('GPUs'), text('Rails'), text('Slurm'), text('Checked'),
        make('th', { className: 'text word', text: 'Why', scope: 'col' })));
}

function cellOf([verdict, found], row, column) {
    const cell = make('td', {
        className: `cell ${verdict} ${found.length && ignored(found[0]) ? 'ignored' : ''}`, text: verdicts[verdict][0],
        tabIndex: -1, data: { row, column },
    });
    cell.setAttribute('aria-label', `${checks[column]}: ${found.length ? verdict : verdicts[verdict][1]}`);
    return cell;
}

function textCell(text, bad = false) {
    return make('td', { className: bad ? 'text bad' : 'text', text });
}

function lacks({ found, up, expected }) {
    const has = found ?? up ?? null;
    return has !== null && expected !== null && has < expected;
}

function bodyRow(members, row) {
    const node = data.nodes[members[0]];
    const name = members.length > 1 ? `${members.length} × ${fold(members.map(index => data.nodes[index].name))}` : node.name;
    const label = make('button', { className: 'name', tabIndex: row ? -1 : 0, data: { row } },
        mark(node.health, healths[node.health][0]), make('span', { text: name }));
    label.setAttribute('aria-label', `${name}: ${node.health}`);
    return make('tr', { data: { row } }, make('th', { scope: 'row' }, label),
        ...node.cells.map((cell, column) => cellOf(cell, row, column)),
        textCell(outOf(ratio(node.gpus)), lacks(node.gpus)), textCell(outOf(ratio(node.rails)), lacks(node.rails)),
        textCell(node.state || '–'), textCell(age(node.check && node.check.time)),
        make('td', { className: 'text word', text: node.word || '', title: node.word || '' }));
}

function tableOf(rows, first) {
    return make('table', {}, headRow(), make('tbody', {}, ...rows.map((members, i) => bodyRow(members, first + i))));
}

// Side by side, where the screen is wide: as many tables as fit, none with only a few rows.
function layTables(most) {
    const each = Math.max(20, Math.ceil(state.rows.length / most)), tables = [];
    for (let first = 0; first < state.rows.length; first += each)
        tables.push(tableOf(state.rows.slice(first, first + each), first));
    byId('heat').replaceChildren(...tables);
    return tables;
}

// What is left of the width is for words, where that is enough for some.
function spreadTables() {
    const heat = byId('heat'), rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const spare = tables => heat.clientWidth - tables.reduce((sum, table) => sum + table.offsetWidth + 2.2 * rem, 0);
    heat.classList.remove('worded');
    let tables = layTables(1);
    const most = Math.floor(heat.clientWidth / (heat.clientWidth - spare(tables)));
    for (let count = most; count > 1 && (tables = layTables(count)) && spare(tables) < 0;)
        tables = layTables(--count);
    const word = spare(tables) / tables.length - 1.5 * rem;
    heat.classList.toggle('worded', word > 10 * rem);
    heat.style.setProperty('--word', `${Math.min(word, 50 * rem)}px`);
}

function drawHeat() {
    state.rows = rowsOf();
    const nodes = state.rows.flat().length;
    byId('shown').textContent = nodes === data.nodes.length ? plural(nodes, 'node') : `${nodes} of ${plural(data.nodes.length, 'node')}`;
    if (nodes)
        spreadTables();
    else
        byId('heat').replaceChildren(make('p', { className: 'nothing', text: 'No node is like that.' }));
    showOpen();
}

function showOpen() {
    for (const row of byId('heat').querySelectorAll('tbody tr'))
        row.classList.toggle('open', Boolean(state.open && state.rows[row.dataset.row].some(index => state.open.includes(index))));
    shadeMap();
}

// ---------------------------------------------------------------- one node, or several equal ones

function pairs(list) {
    return make('dl', {}, ...list.filter(([, text]) => text)
        .flatMap(([word, text]) => [make('dt', { text: word }), make('dd', { text })]));
}

function checkWords(check) {
    if (!check)
        return '';
    const job = check.job ? ` of job ${check.job}` : '';
    return `${check.phase}${job}, ${age(check.time)} before this page (${clock(check.time)})`;
}

function countWords({ counts }) {
    return counts ? ['fail', 'warn', 'unknown', 'pass', 'skip'].filter(verdict => counts[verdict])
        .map(verdict => `${counts[verdict]} ${verdict}`).join(', ') : '';
}

const doneWords = { drained: 'it was drained', observed: 'only observed: the mode drains nothing', held_back: 'not drained: too many nodes are' };

function findingOf(finding) {
    const consequence = { drain: 'a fault of this kind drains a node', warn: '', ignore: 'ignored, as configured' }[finding.response];
    return make('div', { className: `finding ${finding.check === state.check ? 'chosen' : ''}` },
        mark(finding.verdict, verdicts[finding.verdict][0], ignored(finding) ? 'ignored' : ''),
        make('div', { className: 'check', text: finding.check }),
        make('div', { text: [finding.subject, finding.text].filter(Boolean).join(' ') || finding.verdict }),
        finding.remedy && finding.verdict !== 'pass' ? make('div', { className: 'remedy', text: `Remedy: ${finding.remedy}` }) : null,
        consequence && finding.verdict === 'fail' || finding.response === 'ignore' && finding.verdict !== 'pass' && finding.verdict !== 'skip'
            ? make('div', { className: 'response', text: consequence }) : null);
}

function measuresOf(bench) {
    const kinds = [...new Set(bench.measured.map(one => `${one.what} in ${one.unit}`))];
    return kinds.flatMap(kind => {
        const list = bench.measured.filter(one => `${one.what} in ${one.unit}` === kind);
        const most = Math.max(...list.map(one => one.value));
        return [make('h3', { text: `${kind}, ${age(bench.time)} before` }), make('div', { className: 'measure' },
            ...list.flatMap(one => {
                const bar = make('i');
                bar.style.width = `${most > 0 ? Math.max(0, 100 * one.value / most) : 0}%`;
                return [make('span', { text: one.device || 'node' }), make('div', { className: 'bar' }, bar),
                    make('span', { className: 'value', text: String(+one.value.toPrecision(5)) })];
            }))];
    });
}

function facts(node) {
    const { check } = node;
    return pairs([
        ['Slurm', [node.state, node.since ? `since ${clock(node.since)} (${age(node.since)})` : ''].filter(Boolean).join(' ')],
        ['Reason', node.reason],
        ['GPUs', ratio(node.gpus)], ['Rails up', ratio(node.rails)],
        ['Last check', checkWords(check)], ['Found', check ? countWords(check) : ''],
        [check && check.done === 'drained' ? 'Drained for' : 'A fault', check && check.reason !== node.reason ? check.reason : ''],
        ['Outcome', check ? doneWords[check.done] : ''], ['Mode', check ? check.mode : ''],
        ['Not checked', check ? check.error : ''], ['Missing', node.missing]]);
}

function listed(node) {
    const found = [...findingsOf(node)].sort((a, b) => worse.indexOf(a.verdict) - worse.indexOf(b.verdict));
    const more = node.check && node.check.left_out ? [make('p', { className: 'word', text: `and ${node.check.left_out} more` })] : [];
    return found.length ? [make('h3', { text: 'Findings' }), ...found.map(findingOf), ...more] : [];
}

function membersOf(members) {
    return members.length < 2 ? [] : [make('h3', { text: plural(members.length, 'node') }),
        make('p', { className: 'word', text: fold(members.map(index => data.nodes[index].name)) }),
        make('div', { className: 'members' }, ...members.map(index => make('button', { text: data.nodes[index].name, data: { index } })))];
}

function drawDetails() {
    const details = byId('details');
    details.classList.toggle('shown', Boolean(state.open));
    if (!state.open) {
        details.replaceChildren(make('p', { className: 'empty', text: 'Choose a node or a cell: what is known of it stands here.' }));
        return;
    }
    const node = data.nodes[state.open[0]];
    const close = make('button', { className: 'close', text: '×', data: { close: '1' } });
    close.setAttribute('aria-label', 'Close');
    const title = state.open.length > 1 ? `${state.open.length} equal nodes` : node.name;
    details.replaceChildren(close,
        make('h2', {}, mark(node.health, healths[node.health][0]), make('bdi', { text: title })),
        make('p', { className: 'word', text: `${node.health}: ${healths[node.health][1]}` }),
        ...(state.open.length > 1 ? [...membersOf(state.open), make('h3', { text: `As on ${node.name}` })] : []),
        facts(node), ...listed(node), ...node.bench.flatMap(measuresOf));
    details.scrollTop = 0;
    const chosen = details.querySelector('.chosen');
    if (chosen)
        chosen.scrollIntoView({ block: 'nearest' });
}

let cameFrom = null;

function open(members, check, from) {
    state.open = members;
    state.check = check;
    cameFrom = from || cameFrom;
    hideTip();
    drawDetails();
    showOpen();
}

function close() {
    state.open = state.check = null;
    drawDetails();
    showOpen();
    if (cameFrom && cameFrom.isConnected)
        cameFrom.focus();
    cameFrom = null;
}

// ---------------------------------------------------------------- what the pointer is on

function tipOf(target) {
    const { index, row, column } = target.dataset;
    if (index !== undefined) {
        const node = data.nodes[index];
        return [`${node.name}: ${node.health}`, node.word || healths[node.health][1]];
    }
    if (row === undefined)
        return null;
    const node = data.nodes[state.rows[row][0]];
    const name = state.rows[row].length > 1 ? `${state.rows[row].length} nodes` : node.name;
    if (column === undefined)
        return [`${name}: ${node.health}`, node.word || healths[node.health][1]];
    const [verdict, found] = node.cells[column];
    const words = found.map(finding => [finding.verdict, finding.subject, finding.text].filter(Boolean).join(' '));
    const more = words.length > 3 ? `, and ${words.length - 3} more` : '';
    return [`${name}, ${checks[column]}`, words.length ? words.slice(0, 3).join('; ') + more : verdicts[verdict][1]];
}

function showTip(target) {
    const tip = byId('tip'), words = tipOf(target);
    if (!words)
        return hideTip();
    tip.replaceChildren(make('b', { text: words[0] }), make('span', { text: words[1] }));
    tip.hidden = false;
    const box = target.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const below = box.bottom + size.height + 12 < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - size.width - 8))}px`;
    tip.style.top = `${Math.max(8, below ? box.bottom + 6 : box.top - size.height - 6)}px`;
}

function hideTip() {
    byId('tip').hidden = true;
}

// ---------------------------------------------------------------- pointer and keys

const spots = '.tile, .cell, .name';

function choose(target) {
    const { index, row, column } = target.dataset;
    if (index !== undefined)
        open([+index], null, target);
    else
        open(state.rows[row], column === undefined ? null : checks[column], target);
}

function filter() {
    state.words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const button of byId('totals').children)
        button.setAttribute('aria-pressed', String(state.healths.has(button.dataset.health)));
    drawHeat();
    shadeMap();
}

document.addEventListener('click', event => {
    const at = selector => event.target.closest(selector);
    const spot = at(spots), total = at('.total'), head = at('[data-find]'), member = at('.members button');
    if (spot)
        choose(spot);
    else if (member)
        open([+member.dataset.index], null, null);
    else if (at('[data-close]'))
        close();
    else if (total) {
        const { health } = total.dataset;
        if (!state.healths.delete(health))
            state.healths.add(health);
        filter();
    } else if (head) {
        byId('search').value = byId('search').value === head.dataset.find ? '' : head.dataset.find;
        filter();
    }
});

// The next one in the direction of an arrow: in the same line, or the nearest of the next line.
function neighbour(from, key) {
    const box = element => element.getBoundingClientRect();
    const here = box(from), list = [...from.closest('.map, table').querySelectorAll(spots)];
    if (key === 'ArrowLeft' || key === 'ArrowRight')
        return list[list.indexOf(from) + (key === 'ArrowRight' ? 1 : -1)];
    const down = key === 'ArrowDown';
    const ahead = list.filter(element => down ? box(element).top > here.bottom - 1 : box(element).bottom < here.top + 1);
    const line = ahead.length ? box(down ? ahead[0] : ahead[ahead.length - 1]).top : 0;
    return ahead.filter(element => Math.abs(box(element).top - line) < here.height / 2)
        .sort((a, b) => Math.abs(box(a).left - here.left) - Math.abs(box(b).left - here.left))[0];
}

function moveTo(from, to) {
    if (!to)
        return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
    to.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

document.addEventListener('keydown', event => {
    const typing = event.target.id === 'search', spot = event.target.closest(spots);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        byId('search').select();
    } else if (event.key === 'Escape') {
        if (state.open)
            close();
        else if (byId('search').value || state.healths.size) {
            byId('search').value = '';
            state.healths.clear();
            filter();
        }
        hideTip();
    } else if (spot && event.key.startsWith('Arrow')) {
        event.preventDefault();
        moveTo(spot, neighbour(spot, event.key));
    } else if (spot && (event.key === 'Enter' || event.key === ' ')) {
        event.preventDefault();
        choose(spot);
        byId('details').focus({ preventScroll: true });
    }
});

for (const kind of ['mouseover', 'focusin'])
    document.addEventListener(kind, event => {
        const spot = event.target.closest && event.target.closest(spots);
        if (spot)
            showTip(spot);
        else
            hideTip();
    });
document.addEventListener('scroll', hideTip, true);
byId('search').addEventListener('input', filter);
byId('group').addEventListener('change', event => {
    state.group = event.target.value;
    drawHeat();
});

let waiting = 0, wide = innerWidth;
addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
        if (innerWidth !== wide)
            drawHeat();
        wide = innerWidth;
    }, 150);
});

byId('group').value = state.group;
drawHead();
drawLegend();
drawMap();
drawDetails();
drawHeat();

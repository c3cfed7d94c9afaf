// SPDX-License-Identifier: Apache-2.0
// What page.js draws: the JSON of `cluster-env status --json`, which stands in this page. What it holds was
// written by machines and people that nobody vouches for: it becomes text, never HTML.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const made = Date.parse(data.time);
const byId = id => document.getElementById(id);

// Each health and each verdict: its letter, and what it means.
const healths = {
    down: ['D', 'Slurm has lost it'],
    fault: ['F', 'the last check found what a node is drained for'],
    out: ['O', 'out of service: drained, in maintenance, switched off'],
    silent: ['S', 'it should have answered, and did not'],
    unknown: ['?', 'it could not be checked, or not all of it'],
    warn: ['!', 'something is odd'],
    unseen: ['–', 'in Slurm, with no check that is known'],
    ok: ['✓', 'the last check found nothing'],
};
const verdicts = {
    fail: ['×', 'a fault'],
    warn: ['!', 'odd'],
    unknown: ['?', 'could not be found out'],
    skip: ['–', 'does not apply'],
    pass: ['✓', 'passed'],
    quiet: ['·', 'the last check had nothing to say about it'],
    blank: ['', 'there was no check'],
};
const worse = ['fail', 'warn', 'unknown', 'pass', 'skip'];

const state = { healths: new Set(), words: [], group: innerWidth < 2000 ? 'equal' : 'well', open: null, check: null, rows: [] };

// ---------------------------------------------------------------- elements

function make(tag, options = {}, ...children) {
    const { text, data: set, ...rest } = options;
    const element = Object.assign(document.createElement(tag), rest);
    if (text !== undefined)
        element.textContent = text;
    Object.assign(element.dataset, set);
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}

function mark(kind, letter, extra = '') {
    const element = make('span', { className: `mark ${kind} ${extra}`, text: letter });
    element.setAttribute('aria-hidden', 'true');
    return element;
}

function age(time) {
    if (!time)
        return '–';
    const s = Math.max(0, Math.round((made - Date.parse(time)) / 1000));
    const units = [[172800, 86400, 'd'], [7200, 3600, 'h'], [120, 60, 'min'], [0, 1, 's']];
    const [, size, unit] = units.find(([least]) => s >= least);
    return `${Math.floor(s / size)} ${unit}`;
}

const clock = time => time ? `${time.slice(0, 10)} ${time.slice(11, 16)} UTC` : '';
const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
const outOf = pair => pair === null ? '–' : pair;

function ratio({ found, up, expected }) {
    const has = found ?? up ?? null;
    if (has === null)
        return null;
    return expected === null || (found !== undefined && has === expected) ? `${has}` : `${has}/${expected}`;
}

// ---------------------------------------------------------------- what is known of the nodes

const findingsOf = node => node.check ? node.check.findings : [];
const matters = finding => finding.response !== 'ignore';
const isTrouble = finding => ['fail', 'warn', 'unknown'].includes(finding.verdict);
const ignored = finding => isTrouble(finding) && !matters(finding);

// The checks that found something, those that trouble most nodes first.
const troubled = new Map();
for (const finding of data.nodes.flatMap(findingsOf))
    troubled.set(finding.check, (troubled.get(finding.check) || 0) + (isTrouble(finding) && matters(finding) ? 1 : 0));
const checks = [...troubled.keys()].sort((a, b) => troubled.get(b) - troubled.get(a) || (a < b ? -1 : 1));

// The worst of what a check found on a node.
function verdictOf(node, check) {
    const found = findingsOf(node).filter(finding => finding.check === check);
    if (!found.length)
        return [node.check && node.check.checked ? 'quiet' : 'blank', found];
    const rank = finding => (matters(finding) ? 0 : 10) + worse.indexOf(finding.verdict);
    found.sort((a, b) => rank(a) - rank(b));
    return [found[0].verdict, found];
}

for (const node of data.nodes) {
    node.cells = checks.map(check => verdictOf(node, check));
    node.text = [node.name, node.health, node.state, node.word, node.reason, node.missing,
        ...findingsOf(node).flatMap(finding => [finding.check, finding.subject, finding.text, finding.verdict])]
        .filter(Boolean).join('\n').toLowerCase();
    node.equal = JSON.stringify([node.health, node.state, ratio(node.gpus), ratio(node.rails), node.word,
        node.cells.map(([verdict]) => verdict)]);
}

const matches = node => (!state.healths.size || state.healths.has(node.health)) &&
    state.words.every(word => node.text.includes(word));

// gpu-[001-004,7], as Slurm writes it.
function fold(names) {
    const frames = new Map();
    for (const name of names) {
        const [, prefix, digits, rest] = /^(.*?)(\d{0,9})(\D*)$/.exec(name);
        const key = `${prefix}\n${rest}`;
        frames.set(key, [...(frames.get(key) || []), digits]);
    }
    return [...frames].map(([key, numbers]) => {
        const [prefix, rest] = key.split('\n');
        return `${prefix}${numbers.length > 1 ? `[${ranges(numbers)}]` : numbers[0]}${rest}`;
    }).join(',');
}

function ranges(numbers) {
    const runs = [];
    for (const digits of [...numbers].sort((a, b) => a - b)) {
        const run = runs[runs.length - 1];
        if (run && +digits === +run[1] + 1 && (digits.length === run[1].length || digits[0] !== '0'))
            run[1] = digits;
        else
            runs.push([digits, digits]);
    }
    return runs.map(([first, last]) => first === last ? first : `${first}-${last}`).join(',');
}

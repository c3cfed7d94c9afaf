// SPDX-License-Identifier: Apache-2.0
// Measures every picture of the page: each is an <svg> in a <section id=NAME>. Leaves one line for
// each fault, and one line of counts, in <pre id="result">.
'use strict';

const lines = [];

function boxOf(element) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom, what: (element.textContent || element.tagName).slice(0, 40) };
}

// Half a pixel is what rounding may do.
function overlap(a, b) {
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
}

function inside(a, b) {
    return a.left >= b.left - 0.5 && a.right <= b.right + 0.5 &&
        a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5;
}

function eachPair(boxes, tell) {
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => { if (overlap(a, b)) tell(a, b); }));
}

function measure(name, svg) {
    const fault = text => lines.push(`FAULT ${name}: ${text}`);
    const frame = boxOf(svg);
    const texts = [...svg.querySelectorAll('text')];
    const shapes = [...svg.querySelectorAll('rect, text')];
    const rectOf = group => boxOf(group.querySelector('rect'));
    const cards = [...svg.querySelectorAll('g.card')];
    if (Math.abs(frame.right - frame.left - 1280) > 0.5)
        fault(`is ${frame.right - frame.left} wide`);
    eachPair(texts.map(boxOf), (a, b) => fault(`'${a.what}' lies on '${b.what}'`));
    eachPair(cards.map(rectOf), () => fault('a card lies on another'));
    for (const shape of shapes)
        if (!inside(boxOf(shape), frame))
            fault(`'${boxOf(shape).what}' is outside`);
    for (const text of texts) {
        const group = text.closest('g');
        if (group && !inside(boxOf(text), rectOf(group)))
            fault(`'${text.textContent}' leaves its card`);
        if (parseFloat(getComputedStyle(text).fontSize) < 10)
            fault(`'${text.textContent}' is too small`);
    }
    for (const group of svg.querySelectorAll('g g'))
        if (!inside(rectOf(group), rectOf(group.parentNode.closest('g'))))
            fault(`'${boxOf(group).what}' leaves its box`);
    lines.push(`${name}: ${texts.length} texts, ${cards.length} cards`);
}

window.onload = () => {
    for (const section of document.querySelectorAll('section'))
        measure(section.id, section.querySelector('svg'));
    const result = document.createElement('pre');
    result.id = 'result';
    result.textContent = lines.join('\n');
    document.body.replaceChildren(result);
};

/** What documents have beside CommonMark: emoji, footnotes, formulas, front matter, tasks. */
import { describe, expect, test } from 'bun:test'
import { findTasks, withTasksDone } from '#lib/markdown-tasks.ts'
import { renderMarkdown, type MarkdownOptions } from '#web/markdown.ts'
import { renderMath } from '#web/markdown/math.ts'

const render = (text: string, options: MarkdownOptions = {}) =>
  renderMarkdown(text, options, renderMath)

describe('emoji codes', () => {
  test('become emoji in text, and stay in code, addresses and times', () => {
    expect(render(':tada: and :+1:')).toContain('🎉 and 👍')
    expect(render('`:tada:`')).toContain('<code>:tada:</code>')
    expect(render('at 10:20:30 or a:tada:b or :no_such_emoji:')).toContain(
      'at 10:20:30 or a:tada:b or :no_such_emoji:',
    )
    expect(render('<https://example.com/:tada:/>')).toContain('href="https://example.com/:tada:/"')
  })
})

describe('footnotes', () => {
  test('are numbered by their first mark, and lead there and back', () => {
    const html = render(
      'One[^b], two[^a], one[^b].\n\n[^a]: About *a*\n[^b]: About b\n[^c]: Unused\n',
    )
    expect(html).toContain(
      '<sup class="footnote-mark"><a id="user-content-fnref-1" href="#user-content-fn-1" aria-label="Footnote 1">1</a></sup>',
    )
    expect(html).toContain('id="user-content-fnref-1-2"')
    expect(html).toMatch(/<li id="user-content-fn-1"><p>About b <a class="footnote-back"/)
    expect(html).toContain('About <em>a</em>')
    expect(html).not.toContain('Unused')
  })

  test('without a text, or in code, are as typed', () => {
    expect(render('See[^x].')).toContain('See[^x].')
    expect(render('`[^a]`\n\n```\n[^a]: code\n```\n\n[^a]: text\n')).not.toContain('footnotes')
  })

  test('have paragraphs, and may mark each other without end', () => {
    const html = render('A[^a]\n\n[^a]: First\n\n    Second [^b]\n[^b]: Back to [^a]\n')
    expect(html).toContain('Second')
    expect(html.match(/<li id="user-content-fn-/g)).toHaveLength(2)
  })

  test('are cleaned as all text is', () => {
    const html = render('A[^a]\n\n[^a]: <img src=x onerror=alert(1)> [x](javascript:alert(1))\n')
    expect(html).not.toMatch(/onerror|javascript:/)
  })
})

describe('formulas', () => {
  test('become MathML, in a line and of their own', () => {
    expect(render('So $x^2$.')).toMatch(/So <math><msup>.*<\/math>\./)
    expect(render('$$\n\\frac{a}{b}\n$$')).toMatch(/<math display="block".*<mfrac>/s)
    expect(render('```math\n\\sqrt{2}\n```')).toMatch(/<math display="block".*<msqrt>/s)
    expect(render('$`a_1`$')).toContain('<msub>')
  })

  test('prices, code and unfinished signs are text', () => {
    for (const text of ['$5 and $6', 'a $ b $ c', 'costs $10', 'x$y$z'])
      expect(render(text)).toContain(`<p>${text}</p>`)
    expect(render('`$x$`')).toContain('<code>$x$</code>')
    expect(render('```\n$x$\n```')).toContain('$x$')
    expect(render('\\$x\\$')).toContain('$x$')
  })

  test('which are not understood are shown as typed', () => {
    expect(render('$\\nosuchthing{$')).toContain('<code>$\\nosuchthing{$</code>')
    // The main thread has no renderer.
    expect(renderMarkdown('$x$')).toContain('<code>$x$</code>')
  })

  test('cannot bring markup, addresses or much text along', () => {
    for (const tex of [
      '\\href{javascript:alert(1)}{x}',
      '\\text{<img src=x onerror=alert(1)>}',
      '\\class{evil}{x}\\htmlData{a=b}{x}\\style{color:red}{x}',
      '\\includegraphics{https://example.com/x.png}',
      '\\def\\a{\\a\\a}\\a',
    ]) {
      const html = render(`$${tex}$`)
      expect(html).not.toMatch(/<img|<a |href=|style=|class="evil"|src="/)
      expect(html.length).toBeLessThan(20_000)
    }
    expect(render('[$x$]($y$) ![$z$](/a.png "$w$")')).not.toMatch(/="[^"]*</)
    expect(render('\uE0000\uE001 $x$')).toContain('<p>0 <math>')
  })

  test('many of them take no more than a moment', () => {
    const started = performance.now()
    render('$x$ '.repeat(20_000))
    render('$$'.repeat(50_000))
    render(
      '`'
        .repeat(1000)
        .split('')
        .map((_, at) => '`'.repeat(at % 300))
        .join(' $ '),
    )
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('front matter', () => {
  const base = { repo: 'a/b', ref: 'main', dir: '' }
  test('is a table in files, and text elsewhere', () => {
    const text = '---\ntitle: A <b>book</b>\ntags: [one, two]\n---\n# Begin\n'
    const html = render(text, { base })
    expect(html).toContain('<th scope="row">title</th><td>A &lt;b&gt;book&lt;/b&gt;</td>')
    expect(html).toContain('<td>one, two</td>')
    expect(html).toContain('Begin')
    expect(render(text)).not.toContain('<table>')
  })

  test('shows what lists and mappings hold, two levels deep', () => {
    const text = '---\nauthor:\n  name: Ada\n  at: { town: { x: 1 } }\nall: [{ a: 1 }, 2]\n---\n'
    const html = render(text, { base })
    expect(html).toContain('<td>name: Ada, at: town: …</td>')
    expect(html).toContain('<td>a: 1, 2</td>')
  })

  test('that is none is text', () => {
    for (const text of [
      '---\n\nText\n',
      '---\n[1, 2]\n---\n',
      '---\nx: &a [*a]\ny: *a\n',
      'a\n---\nb: c\n---\n',
    ])
      expect(render(text, { base })).not.toContain('scope="row"')
  })
})

describe('tasks', () => {
  const text = '- [ ] one\n- [x] two\n\n```\n- [ ] code\n```\n> 1. [X] three\n'
  test('are found where the boxes are, and changed in place', () => {
    expect(findTasks(text).map(({ done }) => done)).toEqual([false, true, true])
    expect(withTasksDone(text, new Set([0, 2]))).toBe(
      '- [x] one\n- [ ] two\n\n```\n- [ ] code\n```\n> 1. [x] three\n',
    )
  })

  test('can be ticked where asked for, each with its place', () => {
    const html = render(text, { tasks: true })
    expect([...html.matchAll(/name="task" value="(\d)"/g)].map(([, at]) => at)).toEqual([
      '0',
      '1',
      '2',
    ])
    expect(html).not.toContain('disabled')
    expect(render(text)).not.toContain('name="task"')
  })

  test('cannot be ticked when boxes and text do not agree', () => {
    for (const other of ['<input type="checkbox">\n\n- [ ] one', '    - [ ] code\n\n- [ ] one'])
      expect(render(other, { tasks: true })).not.toContain('name="task"')
  })
})

test('a Mermaid diagram names its frame, and shows its source', () => {
  const html = renderMarkdown('```mermaid\ngraph TD; A-->B<script>\n```')
  expect(html).toContain(
    'data-diagram="/-/diagram"><details open><summary>Mermaid source</summary><pre tabindex="0"',
  )
  expect(html).toContain('A--&gt;B&lt;script&gt;')
  expect(renderMarkdown('```ts\na\n```')).not.toContain('<figure')
})

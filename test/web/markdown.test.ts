import { describe, expect, test } from 'bun:test'
import { renderMarkdown } from '#web/markdown.ts'

const site = 'https://hearth.test'
const link = { siteUrl: site, repo: 'acme/oven' }
const base = { repo: 'acme/oven', ref: 'feature/x', dir: 'docs/guide' }

describe('documents', () => {
  test('tables scroll in their own frame and keep their alignment', () => {
    const html = renderMarkdown('| a | b |\n|--:|:-:|\n| 1 | 2 |')
    expect(html).toContain(
      '<div class="table-wrap" role="group" aria-label="Table" tabindex="0"><table>',
    )
    expect(html).toContain('<td class="to-right">1</td>')
  })
  test('task lists are disabled checkboxes with their state as label', () => {
    const html = renderMarkdown('- [ ] a\n- [x] b')
    expect(html).toContain('<input type="checkbox" disabled aria-label="To do" />a')
    expect(html).toContain('<input type="checkbox" disabled checked aria-label="Done" />b')
  })
  test('code blocks are highlighted by their info string, and plain for an unknown one', () => {
    expect(renderMarkdown('```ts\nconst a = "<b>"\n```')).toContain(
      '<b>const</b> a = <i>&quot;&lt;b&gt;&quot;</i>',
    )
    expect(renderMarkdown('```nosuch\na < b\n```')).toBe(
      '<pre tabindex="0" role="group" aria-label="Code"><code>a &lt; b</code></pre>\n',
    )
  })
  test('headings get prefixed ids, a number for equal ones, and a link', () => {
    const html = renderMarkdown('# Über *uns* & `you`\n\n## A\n\n## A\n\n[down](#a-1)')
    expect(html).toContain('id="user-content-über-uns--you"')
    expect(html).toContain('id="user-content-a"')
    expect(html).toContain('id="user-content-a-1"')
    expect(html).toContain('href="#user-content-a-1"')
  })
  test('alerts', () => {
    for (const kind of ['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION']) {
      const html = renderMarkdown(`> [!${kind}]\n> Text **b**\n>\n> > quote\n\nafter`)
      expect(html).toContain(`<div class="alert alert-${kind.toLowerCase()}">`)
      expect(html).toContain('<p>Text <strong>b</strong></p>')
      expect(html).toMatch(
        /<blockquote>\s*<p>quote<\/p>\s*<\/blockquote>\s*<\/div>\s*<p>after<\/p>/,
      )
    }
    expect(renderMarkdown('> [!NOSUCH]\n> x')).toContain('<blockquote>')
  })
  test('line ends are kept with breaks', () => {
    expect(
      renderMarkdown('a\n**b**\n*c*  \nd\n\n- e\n  f\n\n> [!TIP]\n> g\n> h', {
        breaks: true,
      }).replaceAll('<br />\n', '|'),
    ).toBe(renderMarkdown('a|**b**|*c*|d\n\n- e|f\n\n> [!TIP]\n> g|h'))
    expect(renderMarkdown('```\na\nb\n```\n\n`a\nb`', { breaks: true })).not.toContain('<br')
    expect(renderMarkdown('a\nb')).not.toContain('<br')
  })
  test('harmless HTML stays', () => {
    const html = renderMarkdown(
      '<details open><summary>More</summary>\n\nx<sub>2</sub> <kbd>Ctrl</kbd>\n\n</details>\n\n<p align="center"><img src="a.png" width="50%" height="1e9"></p>',
    )
    expect(html).toContain('<details open>')
    expect(html).toContain('<kbd>Ctrl</kbd>')
    expect(html).toContain('width="50%"')
    expect(html).not.toContain('1e9')
  })
  test('a document that is too large is shown as typed', () => {
    const html = renderMarkdown(`# <b>\n${'x'.repeat(1024 * 1024)}`)
    expect(html).toStartWith('<pre tabindex="0" role="group" aria-label="Text"># &lt;b&gt;')
  })
})

describe('addresses', () => {
  test('lines of files lead to the source, and to the part that has them', () => {
    const at = `${site}/acme/oven/blob`
    const lines = {
      'e.md#L12': `${at}/feature/x/docs/guide/e.md?from=12#L12`,
      '/src/a.ts#L3-L9': `${at}/feature/x/src/a.ts?from=3#L3-L9`,
      'a.ts#L3C1-L9C7': `${at}/feature/x/docs/guide/a.ts?from=3#L3-L9`,
      'a.ts#Load': `${at}/feature/x/docs/guide/a.ts#user-content-Load`,
      [`${at}/main/a.ts#L3-9`]: `${at}/main/a.ts?from=3#L3-L9`,
      [`${at}/main/a.ts?plain=1#L3`]: `${at}/main/a.ts?plain=1#L3`,
      'https://other.test/a/b/blob/main/a.ts#L3': 'https://other.test/a/b/blob/main/a.ts#L3',
    }
    for (const [typed, href] of Object.entries(lines))
      expect(renderMarkdown(`[x](${typed})`, { link, base })).toContain(`href="${href}"`)
    expect(renderMarkdown('[x](/acme/oven/blob/main/a.ts#L3)', { link })).toContain(
      `href="${at}/main/a.ts?from=3#L3"`,
    )
  })
  test('relative ones start at the file in the version that is shown', () => {
    const html = renderMarkdown(
      '[a](<../a b.md#x>) [b](/top.md?y=1) [c](sub/) ![d](./img/d.png) [e](<../../../../e.md>)',
      { link, base },
    )
    expect(html).toContain(
      `href="${site}/acme/oven/blob/feature/x/docs/a%20b.md?at=x#user-content-x"`,
    )
    expect(html).toContain(`href="${site}/acme/oven/blob/feature/x/top.md?y=1"`)
    expect(html).toContain(`href="${site}/acme/oven/tree/feature/x/docs/guide/sub"`)
    expect(html).toContain(`src="${site}/acme/oven/raw/feature/x/docs/guide/img/d.png"`)
    expect(html).toContain(`href="${site}/acme/oven/blob/feature/x/e.md"`)
  })
  test('fragments of other files get the prefix, and those of documents name the part', () => {
    const html = renderMarkdown('[a](b.md#build) [b](b.rst#build) [c](b.md#<)', { link, base })
    expect(html).toContain('/docs/guide/b.md?at=build#user-content-build"')
    expect(html).toContain('/docs/guide/b.rst#user-content-build"')
    expect(html).toContain('/docs/guide/b.md#"')
  })
  test('links have rel, and images send no referrer', () => {
    const html = renderMarkdown(
      '[x](https://example.org) https://example.org/auto www.example.net a@example.org ![i](https://example.org/i.png)',
    )
    expect(html.match(/rel="nofollow ugc"/g)).toHaveLength(4)
    expect(html).toContain('href="https://example.org/auto"')
    expect(html).toContain('href="mailto:a@example.org"')
    expect(html).toContain('referrerpolicy="no-referrer"')
  })
  test('pictures that depend on the scheme', () => {
    const html = renderMarkdown(
      '<picture><source media="(prefers-color-scheme: dark)" srcset="dark.svg 2x"><img src="light.svg" alt="Logo"></picture>',
      { link, base },
    )
    expect(html).toContain(`srcset="${site}/acme/oven/raw/feature/x/docs/guide/dark.svg"`)
    expect(html).toContain('media="(prefers-color-scheme: dark)"')
  })
})

describe('references', () => {
  const refs = (text: string, more = {}) => renderMarkdown(text, { link: { ...link, ...more } })
  test('people and teams', () => {
    const html = refs('@Ada, (@acme/core-team) and @kofi.')
    expect(html).toContain(`<a class="ref-mention" href="${site}/ada">@Ada</a>,`)
    expect(html).toContain(
      `<a class="ref-mention" href="${site}/acme/-/teams/core-team">@acme/core-team</a>)`,
    )
    expect(html).toContain(`href="${site}/kofi">@kofi</a>.`)
  })
  test('only known mentions are linked when the page knows them', () => {
    const html = refs('@ada @types/node', { mentions: ['ada'] })
    expect(html).toContain('/ada"')
    expect(html).not.toContain('types/-/teams')
  })
  test('issues of this and other repositories', () => {
    const html = refs('#12 and other/repo#7, not #0, a#3 or &#35;')
    expect(html).toContain(`<a class="ref-issue" href="${site}/acme/oven/issues/12">#12</a>`)
    expect(html).toContain(
      `<a class="ref-issue" href="${site}/other/repo/issues/7">other/repo#7</a>`,
    )
    expect(html.match(/ref-issue/g)).toHaveLength(2)
  })
  test('commits, but not years or words', () => {
    const html = refs(
      `1a2b3c4d and ${'a1'.repeat(20)} and other/repo@1a2b3c4, not 20260312 or deadbeef or 1a2b3c`,
    )
    expect(html).toContain(`href="${site}/acme/oven/commit/1a2b3c4d"><code>1a2b3c4</code>`)
    expect(html).toContain(
      `href="${site}/other/repo/commit/1a2b3c4"><code>other/repo@1a2b3c4</code>`,
    )
    expect(html.match(/ref-commit/g)).toHaveLength(3)
  })
  test('an address of this site is shortened', () => {
    const html = refs(
      `${site}/acme/oven/pull/9 ${site}/other/repo/issues/3 ${site}/acme/oven/commit/1a2b3c4d5e`,
    )
    expect(html).toContain('>#9</a>')
    expect(html).toContain('>other/repo#3</a>')
    expect(html).toContain('>1a2b3c4</a>')
  })
  test('none in code, in links, or without a repository', () => {
    expect(refs('`@ada #1` [see #2](https://x.test)\n\n    @kofi #3')).not.toContain('ref-')
    expect(renderMarkdown('@ada #1')).not.toContain('<a')
    expect(renderMarkdown('#1 @ada', { link: { siteUrl: site } })).not.toContain('ref-issue')
  })
  test('mail addresses and packages are not mentions', () => {
    expect(refs('a@ada.example and x@y')).not.toContain('ref-mention')
  })
})

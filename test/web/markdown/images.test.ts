import { expect, test } from 'bun:test'
import { readImageAddress } from '#lib/image-address.ts'
import { renderMarkdown } from '#web/markdown.ts'
import type { ImagePolicy } from '#web/markdown/images.ts'

const siteUrl = 'https://forge.example'
const link = { siteUrl, repo: 'acme/site' } as never
const render = (text: string, mode: 'proxy' | 'off') => {
  const images: ImagePolicy = { mode, siteUrl, key: 'secret' }
  return renderMarkdown(text, { images, link })
}

test('images of other sites go through the proxy, with their whole address', () => {
  const html = render('![a & b](https://x.example/i.png?a=1&b=2 "t")', 'proxy')
  const [, signature = '', hex = ''] =
    /src="https:\/\/forge\.example\/-\/images\/(\w+)\/(\w+)"/.exec(html) ?? []
  expect(readImageAddress('secret', signature, hex)).toBe('https://x.example/i.png?a=1&b=2')
  expect(readImageAddress('other', signature, hex)).toBeNull()
  expect(html).not.toContain('x.example')
  expect(html).toContain('alt="a &amp; b"')
})

test('images of this site stay as they are, in every mode', () => {
  for (const mode of ['proxy', 'off'] as const) {
    const html = render('![a](/acme/site/attachments/att_1/a.png)', mode)
    expect(html).toContain('src="https://forge.example/acme/site/attachments/att_1/a.png"')
  }
  expect(render('![a](https://forge.example.evil.example/a.png)', 'off')).not.toContain('<img')
})

test('pictures with sources leave no direct address', () => {
  const text =
    '<picture><source srcset="https://x.example/d.png 2x" media="(min-width: 1px)"><img src="https://x.example/l.png"></picture>'
  expect(render(text, 'proxy')).not.toContain('x.example')
  expect(render(text, 'off')).not.toMatch(/<img|srcset/)
})

test('switched off, a link stands in place of an image; inside a link its text', () => {
  expect(render('![The oven](https://x.example/i.png)', 'off')).toContain(
    '<a href="https://x.example/i.png" rel="nofollow ugc">The oven</a>',
  )
  expect(render('![](https://x.example/i.png)', 'off')).toContain('>https://x.example/i.png</a>')
  const badge = render('[![build](https://x.example/b.svg)](https://ci.example/)', 'off')
  expect(badge).toContain('<a href="https://ci.example/" rel="nofollow ugc">build</a>')
})

test('an address that is too long becomes a link', () => {
  const html = render(`![a](https://x.example/${'a'.repeat(2000)})`, 'proxy')
  expect(html).toContain('<a href="https://x.example/aaa')
  expect(html).not.toContain('<img')
})

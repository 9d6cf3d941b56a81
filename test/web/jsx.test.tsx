import { describe, expect, test } from 'bun:test'
import { isSafeAddress } from '#web/jsx/attributes.ts'
import { type Html, raw, renderPage, type Child } from '#web/jsx/html.ts'
import { jsx } from '#web/jsx/jsx-runtime.ts'

const html = (node: Html): string => node.toString()
const hostile = '"><script>alert(1)</script>\'&'

describe('children', () => {
  test('text is escaped, in elements and in fragments', () => {
    expect(html(<p>{hostile}</p>)).toBe(
      '<p>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x27;&amp;</p>',
    )
    // biome-ignore lint/complexity/noUselessFragments: the fragment is what is tested
    expect(html(<>{['<', '<b>']}</>)).toBe('&lt;&lt;b&gt;')
  })
  test('false, true, null and undefined render nothing, and zero renders', () => {
    expect(
      html(
        <p>
          {false}
          {true}
          {null}
          {undefined}
          {0}
          {''}
        </p>,
      ),
    ).toBe('<p>0</p>')
  })
  test('Html is not escaped again', () => {
    expect(
      html(
        <p>
          <b>{'<'}</b>
          {raw('<i>x</i>')}
        </p>,
      ),
    ).toBe('<p><b>&lt;</b><i>x</i></p>')
  })
  test('an object that looks like Html throws', () => {
    const forged = JSON.parse('{"html":"<script>"}') as unknown as Child
    expect(() => <p>{forged}</p>).toThrow(TypeError)
    // @ts-expect-error a date is no child
    expect(() => <p>{new Date(0)}</p>).toThrow('cannot print')
  })
  test('text of a field escapes no more than its end and references', () => {
    expect(html(<textarea name="a">{`</textarea>${hostile}&amp;`}</textarea>)).toBe(
      '<textarea name="a">&lt;/textarea>">&lt;script>alert(1)&lt;/script>\'&amp;&amp;amp;</textarea>',
    )
    expect(html(<textarea name="a">{[hostile]}</textarea>)).not.toContain('<script>')
  })
  test('a first line end survives the parser in pre and textarea', () => {
    expect(html(<textarea name="a">{'\nx'}</textarea>)).toBe('<textarea name="a">\n\nx</textarea>')
    expect(html(<pre>{'x'}</pre>)).toBe('<pre>x</pre>')
  })
  test('components get their children and may return nothing', () => {
    const Box = ({ children, title }: { children?: Child; title: string }) => (
      <div title={title}>{children}</div>
    )
    const None = () => null
    expect(
      html(
        <Box title="<">
          <None />a<br />
        </Box>,
      ),
    ).toBe('<div title="&lt;">a<br></div>')
  })
})

describe('attributes', () => {
  test('values are escaped', () => {
    expect(html(<a href="/x" title={hostile} />)).toBe(
      '<a href="/x" title="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x27;&amp;"></a>',
    )
  })
  test('true is a bare name, false is nothing, aria-* has the word', () => {
    expect(html(<input type="checkbox" checked disabled={false} aria-checked={false} />)).toBe(
      '<input type="checkbox" checked aria-checked="false">',
    )
  })
  test('classes are joined', () => {
    expect(html(<p class={['a', false, ['b', undefined], '']} />)).toBe('<p class="a b"></p>')
    expect(html(<p class={[false]} />)).toBe('<p></p>')
  })
  test('unsafe addresses are left out of every attribute for addresses', () => {
    for (const address of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'java\u200bscript:x',
      'blob:x',
      'file:///etc',
    ]) {
      expect(isSafeAddress(address)).toBe(false)
      expect(html(<a href={address}>x</a>)).toBe('<a>x</a>')
      expect(html(<img src={address} alt="" />)).toBe('<img alt="">')
      expect(html(<form action={address} />)).toBe('<form></form>')
      expect(html(<button type="submit" formaction={address} />)).toBe(
        '<button type="submit"></button>',
      )
      expect(
        html(
          <svg>
            <use href={address} />
          </svg>,
        ),
      ).toBe('<svg><use></use></svg>')
    }
  })
  test('safe addresses stay', () => {
    for (const address of [
      '/a:b',
      '?x=a:b',
      '#a:b',
      'https://x',
      'mailto:a@b',
      'ssh://git@x/y',
      'a/b:c',
      '',
      '//x',
    ])
      expect(isSafeAddress(address)).toBe(true)
  })
  test('event handlers, styles and inline scripts throw', () => {
    for (const name of ['onclick', 'OnLoad', 'style', 'srcdoc', 'a b', 'x"y', ''])
      expect(() => jsx('p', { [name]: 'x' })).toThrow(TypeError)
    expect(() => jsx('script', { children: 'alert(1)' })).toThrow('inline')
    expect(() => jsx('style', { children: 'p{}' })).toThrow('inline')
    expect(() => jsx('p><script', {})).toThrow('element name')
    expect(html(<script src="/a.js" defer />)).toBe('<script src="/a.js" defer></script>')
  })
  test('an object as attribute value throws', () => {
    expect(() => jsx('p', { title: { a: 1 } })).toThrow(TypeError)
  })
  test('the types reject what the runtime rejects', () => {
    // @ts-expect-error there are no handlers
    expect(() => <p onclick="x" />).toThrow()
    // @ts-expect-error there are no inline styles
    expect(() => <p style="color:red" />).toThrow()
    // @ts-expect-error a picture says what it shows
    expect(html(<img src="/x" />)).toBe('<img src="/x">')
    // @ts-expect-error a button says what it does
    expect(html(<button>x</button>)).toBe('<button>x</button>')
  })
})

test('a page starts with the doctype', () => {
  expect(renderPage(<html lang="en" />)).toBe('<!doctype html>\n<html lang="en"></html>')
})

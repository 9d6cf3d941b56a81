import { describe, expect, test } from 'bun:test'
import { decodeXml, parseXml, xmlChild, xmlText, type XmlElement } from '#lib/xml.ts'

function requireXml(text: string): XmlElement {
  const root = parseXml(text)
  if (typeof root === 'string') throw new Error(root)
  return root
}

describe('XML', () => {
  test('is read with attributes, entities, CDATA, comments and prefixes', () => {
    const root = requireXml(`\uFEFF<?xml version="1.0"?>
      <!-- a < comment --><p:package xmlns:p="urn:x" a='1 &lt; "2"'>
        <id> Some.Id </id><empty/><text>a &amp; b<![CDATA[ <c> ]]>&#65;&#x42;</text>
      </p:package>`)
    expect([root.name, root.attributes.get('a')]).toEqual(['package', '1 < "2"'])
    expect(['id', 'text', 'empty', 'none'].map((name) => xmlText(root, name))).toEqual([
      'Some.Id',
      'a & b <c> AB',
      null,
      null,
    ])
    expect(xmlChild(root, 'empty')?.children).toEqual([])
  })

  test('of hostile or broken form is refused with a reason', () => {
    const cases: Record<string, string> = {
      '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>': 'it has a document type',
      '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>': 'it has a document type',
      '<a>&b;</a>': 'it uses an entity that is not defined',
      '<a>&#0;</a>': 'a character reference names no character',
      '<a>&#xD800;</a>': 'a character reference names no character',
      '<a><b></a></b>': 'the end of a has no beginning',
      '<a': 'the tag a is not closed',
      '<a b>': 'an attribute has no value',
      '<a b=1>': 'an attribute has no value',
      '<a>': 'it ends early',
      '<a/><b/>': 'it has two roots',
      text: 'it has text outside of its root',
      '': 'it ends early',
      '<a><!-- ': 'it ends early',
    }
    for (const [text, reason] of Object.entries(cases))
      expect([text, parseXml(text)]).toEqual([text, reason])
    expect(parseXml('<a>'.repeat(1000))).toBe('it is nested too deeply')
    expect(parseXml(`<a>${'<b/>'.repeat(30_000)}</a>`)).toBe('it has too many elements')
    expect(parseXml(' '.repeat(1024 ** 2 + 1))).toBe('it is larger than 1 MiB')
  })

  test('takes time in proportion to its length', () => {
    const startUs = process.cpuUsage().user
    for (const text of [
      '<a '.repeat(300_000),
      '&'.repeat(900_000),
      `<a ${'b="" '.repeat(150_000)}`,
    ])
      expect(typeof parseXml(text)).toBe('string')
    expect(process.cpuUsage().user - startUs).toBeLessThan(5_000_000)
  })

  test('is decoded as its first bytes say', () => {
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e9</a>', 'latin1')
    const wide = Buffer.from('\uFEFF<a>\u00e9</a>', 'utf16le')
    for (const bytes of [latin, wide, Buffer.from('<a>\u00e9</a>')])
      expect(requireXml(decodeXml(bytes)).text).toBe('\u00e9')
    expect(decodeXml(Buffer.from('<?xml version="1.0" encoding="none-such"?><a/>'))).toContain(
      '<a/>',
    )
  })
})

/** Texts, their translations, and the language of a response. */
import { expect, test } from 'bun:test'
import { formatNumber } from '#web/format.ts'
import { jsx } from '#web/jsx/jsx-runtime.ts'
import { localeOf, preferredLocale, withLocale } from '#web/locale.ts'
import { Catalogue } from '#web/locales/index.ts'
import { MessageTable } from '#web/locales/message-table.ts'
import arabicMessages from '#web/locales/messages.ar.json' with { type: 'json' }
import germanMessages from '#web/locales/messages.de.json' with { type: 'json' }
import { formatRelativeTime, timeFormats } from '#web/relative.ts'
import { localized, rich, richn, t, texts, tn } from '#web/text.ts'
import { checkTexts, FORMS, knownTexts } from '../../scripts/texts.ts'
import { runForge } from '../features/oauth/running.ts'

const bold = (inner: object) => jsx('b', { children: inner as never })

test('values and elements stand in their places, and are escaped', () => {
  expect(t('Search {scope}', { scope: '<b>' })).toBe('Search <b>')
  expect(t('{count} of {total}', { count: 0, total: null })).toBe('0 of ')
  expect(
    rich('See <a>the {what}</a> of {name} & more', {
      a: bold,
      what: '<rules>',
      name: jsx('i', { children: 'x' }),
    }).toString(),
  ).toBe('See <b>the &lt;rules&gt;</b> of <i>x</i> &amp; more')
  expect(tn('{count} file', '{count} files', 1)).toBe('1 file')
  expect(tn('{count} file', '{count} files', 1200)).toBe('1,200 files')
  expect(richn('<a>{count} file</a>', '<a>{count} files</a>', 2, { a: bold }).toString()).toBe(
    '<b>2 files</b>',
  )
})

test('a value that looks like a place stays as it is', () => {
  expect(t('{a} {b}', { a: '{b}', b: 'x' })).toBe('{b} x')
  expect(rich('{a}', { a: '{b}<a>x</a>', b: 'y' }).toString()).toBe('{b}&lt;a&gt;x&lt;/a&gt;')
})

test('each plural form of a language is used', () => {
  const forms = { zero: 'z', one: 'o', two: 't', few: 'f', many: 'm', other: 'x' }
  const arabic = new Catalogue('ar', JSON.stringify({ '{count} files': forms, Save: 'حفظ' }))
  const chosen = [0, 1, 2, 3, 11, 100].map((count) => arabic.plural('{count} files', count, 'en'))
  expect(chosen.join('')).toBe('zotfmx')
  expect([arabic.text('Save'), arabic.text('Unknown')]).toEqual(['حفظ', 'Unknown'])
  expect(arabic.plural('{count} unknown', 3, '{count} unknown')).toBe('{count} unknown')
})

test('a sentence of the server is found by its fixed parts, and keeps its values', () => {
  const table = new MessageTable({
    'the password is wrong': 'das Passwort ist falsch',
    '{by} closed issue #{number}': '{by} hat Issue #{number} geschlossen',
    '{by} closed issue #{number} as {reason}': 'Issue #{number}: {reason}, von {by}',
  })
  expect(table.find('the password is wrong')).toBe('das Passwort ist falsch')
  expect(table.find('ada closed issue #4')).toBe('ada hat Issue #4 geschlossen')
  expect(table.find('ada closed issue #4 as completed')).toBe('Issue #4: completed, von ada')
  expect(table.find('{by} closed issue #{number}')).toBe('{by} hat Issue #{number} geschlossen')
  expect(table.find('ada closed pull request #4')).toBeNull()
  expect(table.find(`ada closed issue #${'4'.repeat(3_000)}`)).toBeNull()
  const values = (text: string) => [...(text.match(/\{\w+\}/g) ?? [])].sort()
  for (const catalogue of [germanMessages, arabicMessages])
    for (const [key, text] of Object.entries(catalogue)) expect(values(text)).toEqual(values(key))
})

test('tables are translated when they are read, not when they are made', () => {
  const states = texts({ open: 'Open' })
  const tuples = localized([['open', 'Closed']] as const)
  const records = localized({ open: { icon: 'Open', label: 'Closed' } })
  expect([states.open, tuples[0][1], records.open.label]).toEqual(['Open', 'Closed', 'Closed'])
  const german = withLocale('de', () => [states.open, ...tuples[0], records.open.label])
  expect(german).toEqual([t0('Open'), 'open', t0('Closed'), t0('Closed')])
  expect(withLocale('de', () => records.open.icon)).toBe('Open')
})

const t0 = (key: string): string => withLocale('de', () => t(key))

test('numbers and times follow the language', () => {
  expect(withLocale('de', () => formatNumber(1234567))).toBe('1.234.567')
  expect(withLocale('ar', () => formatNumber(1234567))).toBe('1,234,567')
  const hour = 3_600_000
  const [de, ar] = [timeFormats('de-DE'), timeFormats('ar-u-nu-latn')]
  expect(formatRelativeTime(0, 3 * hour, de)).toBe('vor 3 Stunden')
  expect(formatRelativeTime(0, 3 * hour, ar)).toBe('قبل 3 ساعات')
  expect(formatRelativeTime(0, 1000, de)).toBe('jetzt')
  expect(formatRelativeTime(48 * hour, 0, de)).toBe('übermorgen')
  expect(formatRelativeTime(Date.UTC(2026, 2, 12), Date.UTC(2026, 8, 1), de)).toBe('12. März 2026')
})

test('the preferred language of a browser is chosen by its quality', () => {
  expect(preferredLocale('fr, de-AT;q=0.8, en;q=0.9')).toBe('en')
  expect(preferredLocale('fr-FR,de;q=0.5')).toBe('de')
  expect(preferredLocale('de;q=0, fr')).toBeNull()
  expect(preferredLocale('de;q=x')).toBeNull()
  expect(preferredLocale(`${'x,'.repeat(100_000)}de`)).toBeNull()
  expect(preferredLocale(null)).toBeNull()
  const request = new Request('http://x/', {
    headers: { cookie: 'hearth-locale=de', 'accept-language': 'en' },
  })
  expect(localeOf(request, false)).toBe('de')
})

test('a page has the language and direction of the browser, until another one is chosen', async () => {
  const forge = await runForge()
  const tag = async (headers: Record<string, string>) => {
    const response = await fetch(`${forge.url}/explore`, { headers })
    return [/<html[^>]*>/.exec(await response.text())?.[0], response.headers.get('vary')]
  }
  const vary = 'accept-encoding, accept-language'
  expect(await tag({ 'accept-language': 'de-CH' })).toEqual(['<html lang="de">', vary])
  expect(await tag({ 'accept-language': 'xx' })).toEqual(['<html lang="en">', vary])
  const cookie = 'hearth-locale="><script>'
  expect(await tag({ cookie })).toEqual(['<html lang="en">', vary])
  const browser = await forge.browser(null)
  const at = '/settings/appearance'
  await browser.press((await browser.open(at)).html, at, { locale: 'de' })
  const chosen = (await browser.open(at)).html
  expect(chosen).toContain('<html lang="de">')
  expect(chosen).toContain('Darstellung speichern')
  expect(chosen).not.toContain('Save appearance')
  await browser.press(chosen, at, { locale: '' })
  expect((await browser.open('/explore')).html).toContain('<html lang="en">')
})

test('translations have the places and plural forms of their texts, and German has nearly all', () => {
  const faults = checkTexts().map(({ file, message }) => `${file}: ${message}`)
  expect(faults.filter((fault) => /other places|plural|forms/.test(fault))).toEqual([])
  const untranslated = faults.filter((fault) => /de\.json: no translation/.test(fault))
  // Texts of changes that are not translated yet.
  expect(untranslated.length).toBeLessThan(250)
  for (const [locale, forms] of Object.entries(FORMS))
    expect<readonly string[]>(
      new Intl.PluralRules(locale).resolvedOptions().pluralCategories.toSorted(),
    ).toEqual(forms.toSorted())
})

/** Words of ours for what people know by another name. */
const UNUSUAL =
  /\btake it back\b|\blet in\b|nobody is asked|waits for you|since they parted|no words\b|\bmake (?:the|a) (?:repository|workspace|token|team|label|milestone|ruleset|invite|branch|tag)\b|merge by itself|back to draft/i

test('texts use the words that people know from other forges', () => {
  expect([...knownTexts().keys()].filter((text) => UNUSUAL.test(text))).toEqual([])
})

test('the style sheet has a direction only for code, which runs from left to right', async () => {
  const style = await Bun.file(new URL('../../web/style.css', import.meta.url)).text()
  const physical = style
    .split('\n')
    .filter((line) =>
      /(?:^|[\s{;])(?:(?:margin|padding|border)-)?(?:left|right):|float: (?:left|right)|text-align: (?:left|right)/.test(
        line,
      ),
    )
  expect(physical.filter((line) => !/\[href\*='on=d'\]/.test(line))).toEqual([])
  const sides = [
    ...style.matchAll(
      /\b(?:padding|margin): ([^\s;(]+) ([^\s;(]+) ([^\s;(]+) ([^\s;(]+);|inset -?[1-9][^\s;]* 0 /g,
    ),
  ].filter(([, , right, , left]) => right === undefined || right !== left)
  expect(sides.map(([all]) => all)).toEqual([])
})

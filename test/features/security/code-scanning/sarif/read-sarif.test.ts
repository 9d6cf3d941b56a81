import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import {
  readRun,
  readRuns,
  type SarifRun,
} from '#features/security/code-scanning/sarif/read-sarif.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Reads one run with these results. */
const read = (results: readonly object[], change: object = {}, rules: readonly object[] = []) =>
  readRun({ tool: { driver: { name: 'T', rules } }, results, ...change })

const at = (uri: string, more: object = {}, region: object = { startLine: 1 }) => ({
  message: { text: 'm' },
  ruleId: 'r',
  locations: [{ physicalLocation: { artifactLocation: { uri, ...more }, region } }],
})

const places = (run: SarifRun) => run.results.map(({ place }) => place)

test('files come in UTF-8 and UTF-16, with and without a mark, compressed or not', () => {
  const text = '{"version":"2.1.0","runs":[{}]}'
  const wide = Buffer.from(text, 'utf16le')
  const forms = [
    bytes(text),
    bytes(`\ufeff${text}`),
    wide,
    Buffer.concat([Buffer.from([0xff, 0xfe]), wide]),
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(wide).swap16()]),
    gzipSync(text),
  ]
  for (const form of forms) expect(readRuns(form)).toEqual([{}])
  for (const wrong of [
    '',
    '[]',
    '{"version":"2.1.0"}',
    '{"runs":[]}',
    '{"version":"2.0.0","runs":[]}',
  ])
    expect(() => readRuns(bytes(wrong))).toThrow()
})

test('addresses of files become paths of the repository', () => {
  const originalUriBaseIds = {
    ROOT: { uri: 'file:///home/runner/work/' },
    SRC: { uri: 'src/', uriBaseId: 'ROOT' },
  }
  const artifacts = [{ location: { uri: 'from/index.c' } }]
  const run = read(
    [
      at('a/b.ts'),
      at('./a/../c%20d.ts'),
      at('src\\win.cs'),
      at('file:///home/runner/work/lib/x.go'),
      at('main.c', { uriBaseId: 'SRC' }),
      at('q.py', { uriBaseId: '%SRCROOT%' }),
      { ...at('x'), locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }] },
      at('file:///other/place/y.ts'),
      at('C:\\code\\z.cs'),
      at('../outside.ts'),
      at('https://example.com/a.ts'),
      { ruleId: 'r', message: { text: 'no location' } },
    ],
    { originalUriBaseIds, artifacts },
  )
  expect(places(run)).toEqual([
    { path: 'a/b.ts' },
    { path: 'c d.ts' },
    { path: 'src/win.cs' },
    { path: 'lib/x.go' },
    { path: 'src/main.c' },
    { path: 'q.py' },
    { path: 'from/index.c' },
    { absolute: 'other/place/y.ts' },
    { absolute: 'C:/code/z.cs' },
  ])
  expect([run.total, run.dropped]).toEqual([12, 3])
  expect(run.errors).toEqual(['3 results name no file of the repository'])
})

test('rules are found by id, by the beginning of an id, by index and in extensions', () => {
  const rules = [{ id: 'A' }, { id: 'CA1000', shortDescription: { text: 'parent' } }]
  const run = read(
    [
      { ...at('f'), ruleId: 'A' },
      { ...at('f'), ruleId: 'CA1000/1', message: {} },
      { ...at('f'), ruleId: undefined, ruleIndex: 1 },
      { ...at('f'), ruleId: undefined },
      { ...at('f'), ruleId: 'E', message: { id: 'said', arguments: ['x'] } },
    ],
    {
      tool: {
        driver: { name: 'T', rules },
        extensions: [{ rules: [{ id: 'E', messageStrings: { said: { text: '{0} {{y}} {1}' } } }] }],
      },
    },
  )
  expect(run.results.map(({ rule_id, message }) => [rule_id, message])).toEqual([
    ['A', 'm'],
    ['CA1000/1', 'parent'],
    ['CA1000', 'm'],
    ['T', 'm'],
    ['E', 'x {y} {1}'],
  ])
})

test('severity is the score, otherwise the level; what is no fault is left out', () => {
  const scored = (score: unknown) => ({ ...at('f'), properties: { 'security-severity': score } })
  const severities = (results: readonly object[]) =>
    read(results).results.map(({ severity }) => severity)
  expect(severities([scored('9.1'), scored(7), scored('4.0'), scored(0.1)])).toEqual([
    'critical',
    'high',
    'medium',
    'low',
  ])
  expect(
    severities([
      { ...at('f'), level: 'note' },
      at('f'),
      { ...at('f'), level: 'error' },
      scored('nonsense'),
    ]),
  ).toEqual(['high', 'warning', 'warning', 'note'])
  const none = [
    { ...at('f'), level: 'none' },
    { ...at('f'), kind: 'pass' },
    { ...at('f'), suppressions: [{ kind: 'inSource' }] },
    { ...at('f'), baselineState: 'absent' },
  ]
  expect(read(none)).toMatchObject({ total: 0, dropped: 0, results: [] })
  expect(
    severities([{ ...at('f'), suppressions: [{ kind: 'external', status: 'rejected' }] }]),
  ).toEqual(['warning'])
})

test('a fingerprint counts when it tells the results of a rule apart', () => {
  const hashed = (line: number, hash: string) => ({
    ...at('f', {}, { startLine: line }),
    partialFingerprints: { primaryLocationLineHash: hash },
    fingerprints: { 'matchBasedId/v1': 'requires login' },
  })
  const fingerprints = (results: readonly object[]) =>
    read(results).results.map(({ fingerprint }) => fingerprint)
  expect(fingerprints([hashed(1, 'ab12:1'), hashed(2, 'cd:1')])).toEqual(['ab12', 'cd'])
  expect(fingerprints([hashed(1, 'ab12:1'), hashed(2, 'ab12:1')])).toEqual([null, null])
  expect(fingerprints([hashed(1, 'requires login')])).toEqual([null])
})

test('of many results the 5,000 most severe are kept', () => {
  const note = { ...at('f'), level: 'note' }
  const results = [...Array.from({ length: 5_001 }, () => note), { ...at('f'), level: 'error' }]
  const run = read(results)
  expect([run.results.length, run.dropped, run.total]).toEqual([5_000, 2, 5_002])
  expect(run.results[0]?.severity).toBe('high')
})

test('small uploads that grow when they are parsed are refused before', () => {
  const begin = '{"version":"2.1.0","runs":[{"results":'
  const deep = '['.repeat(1_000_000)
  const many = `[${'{},'.repeat(3_000_001)}{}]}]}`
  const brackets = JSON.stringify('['.repeat(1000))
  for (const [text, why] of [
    [begin + deep, 'nested more than 100 deep'],
    [begin + many, 'more than 3000000 values'],
  ] as const)
    expect(() => readRuns(gzipSync(text))).toThrow(why)
  const utf16 = new Uint8Array(Buffer.from(`\ufeff${begin}${'['.repeat(200)}`, 'utf16le'))
  expect(() => readRuns(utf16)).toThrow('nested more than 100 deep')
  expect(readRuns(Buffer.from(`{"version":"2.1.0","runs":[],"x":${brackets}}`))).toEqual([])
})

import { describe, expect, test } from 'bun:test'
import { decodeSuffix, encodeSuffix, isTypeId, parseTypeId, typeId } from '#lib/typeid.ts'

const uuid = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/**
 * The vectors of the TypeID specification, version 0.3 (`spec/valid.yml` and `spec/invalid.yml`).
 */
const VALID: [name: string, typeid: string, prefix: string, uuid: string][] = [
  ['nil', '00000000000000000000000000', '', '00000000-0000-0000-0000-000000000000'],
  ['one', '00000000000000000000000001', '', '00000000-0000-0000-0000-000000000001'],
  ['ten', '0000000000000000000000000a', '', '00000000-0000-0000-0000-00000000000a'],
  ['sixteen', '0000000000000000000000000g', '', '00000000-0000-0000-0000-000000000010'],
  ['thirty-two', '00000000000000000000000010', '', '00000000-0000-0000-0000-000000000020'],
  ['max-valid', '7zzzzzzzzzzzzzzzzzzzzzzzzz', '', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  [
    'valid-alphabet',
    'prefix_0123456789abcdefghjkmnpqrs',
    'prefix',
    '0110c853-1d09-52d8-d73e-1194e95b5f19',
  ],
  [
    'valid-uuidv7',
    'prefix_01h455vb4pex5vsknk084sn02q',
    'prefix',
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ],
  [
    'prefix-underscore',
    'pre_fix_00000000000000000000000000',
    'pre_fix',
    '00000000-0000-0000-0000-000000000000',
  ],
]

const INVALID: [name: string, typeid: string][] = [
  ['prefix-uppercase', 'PREFIX_00000000000000000000000000'],
  ['prefix-numeric', '12345_00000000000000000000000000'],
  ['prefix-period', 'pre.fix_00000000000000000000000000'],
  ['prefix-non-ascii', 'préfix_00000000000000000000000000'],
  ['prefix-spaces', '  prefix_00000000000000000000000000'],
  [
    'prefix-64-chars',
    'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl_00000000000000000000000000',
  ],
  ['separator-empty-prefix', '_00000000000000000000000000'],
  ['separator-empty', '_'],
  ['suffix-short', 'prefix_1234567890123456789012345'],
  ['suffix-long', 'prefix_123456789012345678901234567'],
  ['suffix-spaces', 'prefix_1234567890123456789012345 '],
  ['suffix-uppercase', 'prefix_0123456789ABCDEFGHJKMNPQRS'],
  ['suffix-hyphens', 'prefix_123456789-123456789-123456'],
  ['suffix-wrong-alphabet', 'prefix_ooooooiiiiiiuuuuuuulllllll'],
  ['suffix-ambiguous-crockford', 'prefix_i23456789ol23456789oi23456'],
  ['suffix-hyphens-crockford', 'prefix_123456789-0123456789-0123456'],
  ['suffix-overflow', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['prefix-underscore-start', '_prefix_00000000000000000000000000'],
  ['prefix-underscore-end', 'prefix__00000000000000000000000000'],
  ['empty', ''],
  ['prefix-empty', 'prefix_'],
]

describe('TypeIDs follow the published vectors', () => {
  for (const [name, text, prefix, expected] of VALID) {
    test(`valid: ${name}`, () => {
      const parsed = parseTypeId(text)
      expect(parsed?.prefix).toBe(prefix)
      expect(uuid(parsed?.bytes ?? new Uint8Array())).toBe(expected)
      expect(encodeSuffix(parsed?.bytes ?? new Uint8Array(16))).toBe(
        text.slice(text.lastIndexOf('_') + 1),
      )
    })
  }
  for (const [name, text] of INVALID)
    test(`invalid: ${name}`, () => expect(parseTypeId(text)).toBeNull())
})

test('new ids are UUIDs of version 7 and sort in the order of their creation, also within one millisecond', () => {
  const now = Date.parse('2030-01-02T03:04:05.678Z')
  const ids = Array.from({ length: 5000 }, (_, index) =>
    typeId('evt', now + Math.floor(index / 1000)),
  )
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  const bytes = decodeSuffix(ids[0]!.slice(4))!
  expect(bytes[6]! >> 4).toBe(7)
  expect(bytes[8]! >> 6).toBe(2)
  expect(Buffer.from(bytes.subarray(0, 6)).readUIntBE(0, 6)).toBe(now)
})

test('an id of another kind is not one of this kind', () => {
  const id = typeId('usr', 1)
  expect(isTypeId(id, 'usr')).toBe(true)
  expect(isTypeId(id, 'rep')).toBe(false)
  expect(isTypeId(`rs_${id.slice(4)}x`, 'rs')).toBe(false)
})

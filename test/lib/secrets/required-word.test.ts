import { expect, test } from 'bun:test'
import { requiredWord } from '#lib/secrets/required-word.ts'

test('the longest text of the top level is found, without what may be left out', () => {
  for (const [source, word] of [
    ['acme_[a-z0-9]{32}', 'acme_'],
    ['ACME_[a-z]+', 'acme_'],
    ['(?i)acme-[a-z]+', 'acme-'],
    ['x{3}abc[()]def\\.ghi', 'def.ghi'],
    ['\\bkey-(?:a|b)-live', '-live'],
    ['abcd?efgh', 'efgh'],
    ['\\x41bcd', null],
    ['\\pLuabc', null],
    ['\\Qa*b\\Eabc', null],
    ['abc{2,3}def', 'def'],
    ['[\\]abc]xyz', 'xyz'],
    ['[^]abc]+xyz', 'xyz'],
    ['[]abc]+xyz', 'xyz'],
    ['\\d\\d\\d', null],
    ['abc|def', null],
    ['(abc)', null],
    ['ab', null],
    ['abc(', null],
    ['[abc', null],
  ] as const)
    expect([source, requiredWord(source)]).toEqual([source, word])
})

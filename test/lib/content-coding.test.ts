import { expect, test } from 'bun:test'
import { chooseCoding } from '#lib/content-coding.ts'

const offered = ['zstd', 'br', 'gzip'] as const

test('the coding that the client prefers, and ours among equals', () => {
  for (const [header, coding] of [
    [null, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, br;q=0.8, zstd;q=0.2', 'gzip'],
    ['zstd;q=0, br;q=0.5', 'br'],
    ['*', 'zstd'],
    ['*;q=0', null],
    ['*;q=0.5, zstd;q=0', 'br'],
    ['identity;q=1, gzip;q=0.5', null],
    ['gzip;q=nonsense', null],
  ] as const)
    expect([header, chooseCoding(header, offered)]).toEqual([header, coding])
})

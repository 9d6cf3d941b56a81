import { expect, test } from 'bun:test'
import { findSymbols } from '#features/search/symbols.ts'

const names = (language: string, ...lines: string[]) =>
  findSymbols(lines.join('\n'), language).map(({ name, kind, line }) => `${line} ${kind} ${name}`)

test('names are found where they are defined, in the languages that people use', () => {
  expect(
    names(
      'TypeScript',
      'export async function load(x) {',
      'export const open = (a: string) => a',
      'interface Door {',
      'export type Key = string',
      'class Lock extends Door {',
      '  turn(key: Key): void {',
      '  if (x) {',
    ),
  ).toEqual([
    '1 function load',
    '2 function open',
    '3 interface Door',
    '4 type Key',
    '5 class Lock',
    '6 method turn',
  ])
  expect(
    names(
      'Go',
      'func (s *Store) Get(key string) error {',
      'func New() *Store {',
      'type Store struct {',
      'type Reader interface {',
      'const limit = 3',
    ),
  ).toEqual([
    '1 method Get',
    '2 function New',
    '3 struct Store',
    '4 interface Reader',
    '5 constant limit',
  ])
  expect(
    names(
      'Python',
      'class Keeper(Base):',
      '    def trim(self):',
      'async def main():',
      'LIMIT = 3',
      'x = LIMIT',
    ),
  ).toEqual(['1 class Keeper', '2 method trim', '3 function main', '4 constant LIMIT'])
  expect(
    names(
      'Rust',
      'pub(crate) fn walk<T>(t: T) {',
      'pub struct Node {',
      'impl Node {',
      '    pub const fn new() -> Self {',
      'macro_rules! say {',
    ),
  ).toEqual(['1 function walk', '2 struct Node', '4 function new', '5 macro say'])
  expect(
    names(
      'C',
      '#define LIMIT 3',
      'static int read_ref(struct ref *r,',
      'struct object_id {',
      'int declared(void);',
      '\treturn call(x);',
      '} while (x)',
    ),
  ).toEqual(['1 macro LIMIT', '2 function read_ref', '3 struct object_id'])
  expect(names('Ruby', 'module Cats', '  class Tom < Cat', '    def self.meow!(x)')).toEqual([
    '1 module Cats',
    '2 class Tom',
    '3 method meow!',
  ])
  expect(findSymbols('function x() {}', null)).toEqual([])
})

test('lines that are made to be slow are read, one name each at most', () => {
  for (const language of [
    'TypeScript',
    'C',
    'Java',
    'C++',
    'Go',
    'Rust',
    'Scala',
    'Kotlin',
    'SQL',
    'Haskell',
  ]) {
    for (const bad of [
      'a '.repeat(249),
      'a*&'.repeat(160),
      '('.repeat(499),
      'public '.repeat(70),
      ' '.repeat(499),
      'class '.repeat(80),
      'typedef '.repeat(60),
      'x<'.repeat(240),
    ]) {
      const lines = findSymbols(`${bad}\n`.repeat(100), language).map(({ line }) => line)
      expect(new Set(lines).size).toBe(lines.length)
    }
  }
})

test('there are never too many', () => {
  expect(
    findSymbols(
      Array.from({ length: 5_000 }, (_, at) => `function f${at}() {}`).join('\n'),
      'JavaScript',
    ),
  ).toHaveLength(2_000)
})

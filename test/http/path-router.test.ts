import { expect, test } from 'bun:test'
import { PathRouter } from '#http/path-router.ts'

const routerOf = (...patterns: readonly string[]): ((path: string) => string | null) => {
  const router = new PathRouter<{ readonly pattern: string }>()
  for (const pattern of patterns) router.add(pattern, { pattern })
  return (path) => router.find(path)?.pattern ?? null
}

test('a fixed segment wins over a parameter, and a parameter over the rest', () => {
  const find = routerOf('/repos/search', '/repos/:p0', '/repos/*', '/*')
  expect(find('/repos/search')).toBe('/repos/search')
  expect(find('/repos/searching')).toBe('/repos/:p0')
  expect(find('/repos/a/b')).toBe('/repos/*')
  expect(find('/elsewhere')).toBe('/*')
})

test('a path that leads nowhere is tried with the next choice in each place', () => {
  const find = routerOf('/a/b/c', '/a/:p0/d', '/:p0/b/e', '/a/*')
  expect(find('/a/b/c')).toBe('/a/b/c')
  expect(find('/a/b/d')).toBe('/a/:p0/d')
  expect(find('/a/b/e')).toBe('/a/*')
  expect(find('/x/b/e')).toBe('/:p0/b/e')
  expect(find('/x/b/f')).toBeNull()
})

test('a slash at the end makes no difference, and the rest may be empty', () => {
  const find = routerOf('/a/b', '/c/*', '/d', '/d/*')
  expect(find('/a/b/')).toBe('/a/b')
  expect(find('/a/b//')).toBeNull()
  expect(find('/c/')).toBe('/c/*')
  expect(find('/c')).toBeNull()
  expect(find('/d/')).toBe('/d')
})

test('a parameter takes no empty segment, and the root is a path like others', () => {
  const find = routerOf('/', '/a/:p0/b', '/a/*')
  expect(find('/')).toBe('/')
  expect(find('//')).toBeNull()
  expect(find('/a//b')).toBe('/a/*')
  expect(find('/a/x/b')).toBe('/a/:p0/b')
})

test('two routes with one pattern are refused, whatever their parameters are called', () => {
  const router = new PathRouter<object>()
  router.add('/a/:x', {})
  expect(() => router.add('/a/:y', {})).toThrow('two routes are /a/:y')
  router.add('/a/*', {})
  expect(() => router.add('/a/*', {})).toThrow('two routes are /a/*')
})

import { expect, test } from 'bun:test'
import { pathOfFrame, readStackTrace, revisionsOf } from '#features/integrations/stack-trace.ts'

test('a path of a frame loses what builds and machines put before it', () => {
  const paths: Readonly<Record<string, string | null>> = {
    'src/cart.ts': 'src/cart.ts',
    './src/cart.ts': 'src/cart.ts',
    '../../shop/src/cart.ts': 'shop/src/cart.ts',
    'webpack:///./src/cart.ts': 'src/cart.ts',
    'webpack://shop/./src/cart.ts?a1b2': 'src/cart.ts',
    'app:///src/cart.ts': 'src/cart.ts',
    '~/static/app.js': 'static/app.js',
    'https://shop.example/static/app.js?v=3#x': 'static/app.js',
    'file:///srv/shop/cart.py': 'srv/shop/cart.py',
    'C:\\shop\\Cart.cs': 'shop/Cart.cs',
    '/srv/shop/cart.py': 'srv/shop/cart.py',
    '/srv/shop/': null,
    '/': null,
    '..': null,
    '': null,
  }
  for (const [given, path] of Object.entries(paths)) expect(pathOfFrame(given)).toBe(path)
})

test('webhooks and the interface of Sentry say the same, the newest call first', () => {
  const webhook = readStackTrace({
    release: 'shop@1.2.0',
    exception: {
      values: [
        { type: 'Cause', stacktrace: { frames: [{ filename: 'cause.py', lineno: 1 }] } },
        {
          type: 'Error',
          stacktrace: {
            frames: [
              { filename: 'main.py', lineno: 3, function: 'main', in_app: true },
              { filename: 'shop/cart.py', abs_path: '/srv/shop/cart.py', lineno: 12 },
              { filename: 'x.py', abs_path: '/venv/lib/site-packages/x.py', function: 'run' },
              { filename: 'own.py', in_app: false },
            ],
          },
        },
      ],
    },
  })
  expect(webhook).toEqual({
    release: 'shop@1.2.0',
    frames: [
      { file: 'own.py', line: null, name: '', paths: [] },
      { file: 'x.py', line: null, name: 'run', paths: [] },
      { file: 'shop/cart.py', line: 12, name: '', paths: ['srv/shop/cart.py', 'shop/cart.py'] },
      { file: 'main.py', line: 3, name: 'main', paths: ['main.py'] },
    ],
  })
  const answer = readStackTrace({
    release: { version: 'shop@1.2.0' },
    entries: [
      { type: 'message', data: {} },
      {
        type: 'exception',
        data: {
          values: [
            {
              stacktrace: {
                frames: [
                  {
                    filename: 'Cart.java',
                    absPath: 'Cart.java',
                    module: 'com.acme.shop.Cart$Line',
                    lineNo: 7,
                    function: 'total',
                    inApp: true,
                  },
                ],
              },
            },
          ],
        },
      },
    ],
  })
  expect(answer).toEqual({
    release: 'shop@1.2.0',
    frames: [
      {
        file: 'Cart.java',
        line: 7,
        name: 'total',
        paths: ['com/acme/shop/Cart.java', 'Cart.java'],
      },
    ],
  })
})

test('what is no stack trace is none, and a long one is cut to its newest calls', () => {
  for (const event of [{}, { exception: [] }, { exception: { values: [null, { stacktrace: 1 }] } }])
    expect(readStackTrace(event)).toBeNull()
  const frames = Array.from({ length: 10_000 }, (_, at) => ({ filename: `f${at}.py`, lineno: -1 }))
  const trace = readStackTrace({ stacktrace: { frames } })
  expect(trace?.frames).toHaveLength(50)
  expect(trace?.frames[0]).toMatchObject({ file: 'f9999.py', line: null })
})

test('a release is a tag with its version, or a commit', () => {
  const sha = '0123456789abcdef0123456789abcdef01234567'
  expect(revisionsOf(sha)).toContain(sha)
  expect(revisionsOf(`shop@1.2.0+${sha.slice(0, 8)}`)).toEqual([
    `refs/tags/shop@1.2.0+${sha.slice(0, 8)}`,
    'refs/tags/1.2.0',
    'refs/tags/v1.2.0',
    `refs/tags/1.2.0+${sha.slice(0, 8)}`,
    sha.slice(0, 8),
  ])
  expect(revisionsOf('refs heads\n*')).toEqual([])
  expect(revisionsOf(null)).toEqual([])
})

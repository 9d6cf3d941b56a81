import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type Place } from './client.ts'

/** Tools of Python in an environment of their own; null when they cannot be fetched. */
async function findTools(tools: string): Promise<string | null> {
  const folder = join(tools, 'py')
  const programs = join(folder, 'bin')
  if (existsSync(join(programs, 'twine'))) return programs
  const made = Bun.spawnSync(['python3', '-m', 'venv', folder])
  if (made.exitCode !== 0) return null
  const names = ['pip', 'uv', 'twine', 'build', 'setuptools', 'wheel']
  const fetched = Bun.spawnSync([join(programs, 'pip'), 'install', '-q', '--upgrade', ...names])
  return fetched.exitCode === 0 ? programs : null
}

const project = (version: string): string => `[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "acme-hello"
version = "${version}"
description = "Says hello"
requires-python = ">=3.8"
readme = "README.md"
`

const CODE = (text: string): string => `def hello():\n    return "${text}"\n`

async function build(client: Client, programs: string, folder: string, version: string, text = '') {
  client.write(`${folder}/pyproject.toml`, project(version))
  client.write(`${folder}/README.md`, '# Hello\n')
  client.write(`${folder}/acme_hello.py`, CODE(text || version))
  const command = [join(programs, 'python'), '-m', 'build', '--no-isolation']
  await client.succeeds(`build ${version} ${text}`, folder, command)
}

const PRINT = ['-c', 'import acme_hello; print(acme_hello.hello())']

async function publishAll(client: Client, programs: string): Promise<void> {
  const { url, workspace, token } = client.place
  const upload = `${url}/packages/${workspace}/pypi/`
  const twine = (secret: string): string[] => [
    join(programs, 'twine'),
    ...['upload', '--non-interactive', '--disable-progress-bar', '--verbose'],
    ...['--repository-url', upload, '--username', '__token__', '--password', secret],
  ]
  await build(client, programs, 'one', '1.0.0')
  const files = ['dist/acme_hello-1.0.0-py3-none-any.whl', 'dist/acme_hello-1.0.0.tar.gz']
  await client.fails('twine with a wrong token', /401|not valid/, 'one', [
    ...twine(`hthu_${'a'.repeat(46)}`),
    ...files,
  ])
  await client.succeeds('twine upload', 'one', [...twine(token), ...files])
  await client.succeeds('twine upload of the same bytes', 'one', [...twine(token), ...files])
  await build(client, programs, 'other', '1.0.0', 'other')
  await client.fails('twine upload of other bytes', /409[\s\S]*use a new number/, 'other', [
    ...twine(token),
    ...files,
  ])
  await build(client, programs, 'two', '1.1.0')
  const uv = [join(programs, 'uv'), 'publish', '--publish-url', upload]
  await client.fails('uv publish without a token', /401|403|Missing|credentials/i, 'two', uv)
  await client.succeeds('uv publish', 'two', [...uv, '--token', token])
  await client.succeeds('uv publish again', 'two', [...uv, '--token', token])
}

async function installAll(client: Client, programs: string): Promise<void> {
  const { url, workspace, token } = client.place
  const address = `${url}/packages/${workspace}/pypi/simple/`
  const signed = address.replace('://', `://__token__:${token}@`)
  const venv = [join(programs, 'python'), '-m', 'venv', '.venv']
  await client.succeeds('an environment', 'app', venv)
  const pip = (index: string, ...words: string[]): string[] => [
    ...['.venv/bin/pip', '--isolated', '--disable-pip-version-check', 'install', '--no-input'],
    ...['--index-url', index, ...words],
  ]
  await client.fails(
    'pip without a token',
    /No matching distribution|401/,
    'app',
    pip(address, 'acme-hello'),
  )
  await client.succeeds('pip install', 'app', pip(signed, 'acme.hello==1.0.0'))
  const one = await client.succeeds('run it', 'app', ['.venv/bin/python', ...PRINT])
  client.check('version 1.0.0 runs', one.trim() === '1.0.0', one)
  await client.succeeds('pip upgrade', 'app', pip(signed, '--upgrade', 'acme-hello'))
  const two = await client.succeeds('run it again', 'app', ['.venv/bin/python', ...PRINT])
  client.check('version 1.1.0 runs', two.trim() === '1.1.0', two)
  client.write('locked/requirements.in', `acme-hello==1.0.0\n`)
  const uv = join(programs, 'uv')
  const compile = ['pip', 'compile', '--generate-hashes', '--index-url', signed, 'requirements.in']
  const lock = await client.succeeds('uv pip compile with hashes', 'locked', [
    uv,
    ...compile,
    '--no-annotate',
    '--output-file',
    'requirements.txt',
  ])
  client.check('the lock has both files', lock.split('--hash=sha256:').length === 3, lock)
  await client.succeeds('uv venv', 'locked', [uv, 'venv', '--python', join(programs, 'python')])
  const install = ['pip', 'install', '--require-hashes', '-r', 'requirements.txt']
  await client.succeeds('uv pip install', 'locked', [uv, ...install, '--index-url', signed])
  await client.succeeds('pip download of the sdist', 'app', [
    ...[join(programs, 'pip'), '--isolated', 'download', '--no-binary', ':all:', '--no-deps'],
    ...['--no-build-isolation', '--index-url', signed, 'acme-hello==1.0.0'],
  ])
}

export async function runPypi(place: Place): Promise<Client | string> {
  const programs = await findTools(place.tools)
  if (programs === null) return 'its programs could not be fetched'
  const client = new Client('pypi', place, { UV_PYTHON_DOWNLOADS: 'never', UV_NO_CONFIG: '1' })
  await publishAll(client, programs)
  await installAll(client, programs)
  return client
}

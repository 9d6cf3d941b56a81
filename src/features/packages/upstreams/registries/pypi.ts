/** Simple indexes of Python that answer in JSON (PEP 691), as PyPI does. */
import { normalPythonName } from '#lib/lock-files/python.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { filesAddress, JSON_TYPE } from '../../formats/pypi/documents.ts'
import { htmlHeaders, wantsJson } from '../../formats/pypi/door.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import { locatedFile, type DocumentRequest } from '../source.ts'

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/
const FILE = /^[A-Za-z0-9][\w.+!-]{0,299}$/

const project = (name: string): DocumentRequest => ({
  path: `simple/${name}/`,
  name,
  accept: JSON_TYPE,
})

const readProject = (name: string, isJson: boolean): UpstreamRead => ({
  name,
  answer: (source) =>
    source.answerRendered(
      project(name),
      {
        want: isJson ? 'json' : 'html',
        files: `${filesAddress(source.hearth.settings.site_url, source.door.workspace, name)}/`,
        content_type: isJson ? JSON_TYPE : 'text/html; charset=utf-8',
      },
      isJson ? {} : htmlHeaders(source.door),
    ),
})

const readFile = (name: string, file: string): UpstreamRead => ({
  name,
  answer: async (source) => {
    const cached = await source.readFile({
      key: `files/${name}/${file}`,
      name,
      locate: async () => locatedFile(await source.find(project(name), file)),
    })
    return source.answerFile(cached, name)
  },
})

function parse(door: DoorRequest): UpstreamRead | null {
  const parts = door.path.split('/')
  if (parts.at(-1) === '') parts.pop()
  const [folder, name = '', file = '', ...more] = parts
  // A name in another form is redirected first.
  if (!NAME.test(name) || normalPythonName(name) !== name || more.length > 0) return null
  if (folder === 'simple' && file === '') return readProject(name, wantsJson(door))
  return folder === 'files' && FILE.test(file) ? readFile(name, file) : null
}

export const pypiRegistry: Registry = { parse }

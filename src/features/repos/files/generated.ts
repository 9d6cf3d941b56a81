/** Detects generated files by their names, so that reviews can collapse them. */

const GENERATED_NAMES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'go.sum',
  'Gemfile.lock',
  'composer.lock',
  'poetry.lock',
  'Pipfile.lock',
  'uv.lock',
  'pdm.lock',
  'mix.lock',
  'flake.lock',
  'pubspec.lock',
  'Podfile.lock',
  'Package.resolved',
  'packages.lock.json',
  'gradle.lockfile',
  'gradlew',
  'gradlew.bat',
  'mvnw',
  'mvnw.cmd',
  '.terraform.lock.hcl',
  'MODULE.bazel.lock',
])

const GENERATED_ENDINGS =
  /(\.min\.(js|css)|\.(js|css|ts)\.map|\.pb\.(go|cc|h)|_pb2(_grpc)?\.pyi?|\.pb\.swift|\.g\.dart|\.freezed\.dart|\.designer\.cs|_generated\.(go|rs)|\.snap)$/i

const GENERATED_FOLDERS =
  /(^|\/)(node_modules|bower_components|__generated__|__snapshots__|Godeps|\.yarn\/(releases|plugins|cache))\//

/** Whether the name of a file says that a tool generated it. */
export const isGenerated = (path: string): boolean =>
  GENERATED_NAMES.has(path.slice(path.lastIndexOf('/') + 1)) ||
  GENERATED_ENDINGS.test(path) ||
  GENERATED_FOLDERS.test(path)

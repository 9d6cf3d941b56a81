/**
 * Rules that find definitions, by language. Each rule is a regular expression for one line with the
 * name in its first group. They find functions, types and top-level constants without a parser.
 *
 * Each expression takes linear time: no repeated part is followed by one that matches the same
 * characters.
 */

export type SymbolRule = { readonly kind: SymbolKind; readonly pattern: RegExp }
export type SymbolKind =
  | 'function'
  | 'method'
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'struct'
  | 'trait'
  | 'module'
  | 'constant'
  | 'macro'
  | 'heading'

const rules = (...pairs: readonly (readonly [SymbolKind, RegExp])[]): SymbolRule[] =>
  pairs.map(([kind, pattern]) => ({ kind, pattern }))

const SCRIPT = rules(
  [
    'function',
    /^\s{0,8}(?:export )?(?:default )?(?:declare )?(?:async )?function\*? {0,2}([\w$]+)/,
  ],
  ['class', /^\s{0,8}(?:export )?(?:default )?(?:declare )?(?:abstract )?class ([\w$]+)/],
  [
    'function',
    /^(?:export )?(?:const|let|var) ([\w$]+)(?::[^=]{1,120})? ?= ?(?:async )?(?:function\b|\([^()]{0,200}\)(?: ?: ?[^=]{1,80})? ?=>|[\w$]+ ?=>)/,
  ],
  ['constant', /^(?:export )?(?:declare )?(?:const|let|var) ([\w$]+)/],
  ['function', /^(?:module\.)?exports\.([\w$]+) ?= ?(?:async )?(?:function\b|\()/],
  ['method', /^\s{0,8}[\w$.]{1,80}\.prototype\.([\w$]+) ?= ?(?:async )?function\b/],
  ['function', /^([\w$]+)(?:\.[\w$]+){0,3}\.[\w$]+ ?= ?(?:async )?function\b/],
  [
    'method',
    /^ {2,8}(?:(?:public|private|protected|static|async|override|readonly|get|set) ){0,4}([\w$#]+)\([^()]{0,200}\)(?: ?: ?[^{]{1,120})? ?\{$/,
  ],
)
const TYPED = rules(
  ['interface', /^\s{0,8}(?:export )?(?:default )?(?:declare )?interface ([\w$]+)/],
  ['type', /^\s{0,8}(?:export )?(?:declare )?type ([\w$]+)/],
  ['enum', /^\s{0,8}(?:export )?(?:declare )?(?:const )?enum ([\w$]+)/],
  ['module', /^\s{0,8}(?:export )?(?:declare )?(?:namespace|module) ([\w$.]+)/],
)
const C = rules(
  ['macro', /^\s{0,4}# {0,4}define (\w+)/],
  ['struct', /^(?:typedef )?(?:struct|union) (\w+)\s*\{?$/],
  ['enum', /^(?:typedef )?enum (?:class )?(\w+)/],
  ['type', /^typedef [^;{}()]{1,160}\b(\w+)\s?;/],
  ['type', /^\} ?(\w+);$/],
  [
    'function',
    /^(?!return|else|typedef|goto|case)[A-Za-z_][\w \t*&:<>,~]{0,120}?[ *&](\w+) ?\([^;]{0,300}$/,
  ],
)
const JAVA = rules(
  [
    'class',
    /^\s{0,12}(?:@\w+ )?(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|data|open|case) ){0,6}(?:class|record|object) (\w+)/,
  ],
  [
    'interface',
    /^\s{0,12}(?:(?:public|private|protected|internal|static|sealed|partial) ){0,6}(?:interface|@interface) (\w+)/,
  ],
  ['enum', /^\s{0,12}(?:(?:public|private|protected|internal|static) ){0,6}enum (?:class )?(\w+)/],
  [
    'method',
    /^\s{1,12}(?:(?:public|private|protected|internal|static|final|abstract|virtual|override|async|synchronized) ){1,6}[\w<>[\],.? ]{1,80} (\w+)\([^;]{0,300}$/,
  ],
)

const BY_LANGUAGE: Readonly<Record<string, readonly SymbolRule[]>> = {
  JavaScript: SCRIPT,
  TypeScript: [...TYPED, ...SCRIPT],
  Vue: SCRIPT,
  Svelte: SCRIPT,
  C: C,
  'Objective-C': [
    ...rules(
      ['class', /^@(?:interface|implementation|protocol) (\w+)/],
      ['method', /^[-+] ?\([^()]{1,80}\) ?(\w+)/],
    ),
    ...C,
  ],
  'C++': [
    ...rules(
      ['class', /^\s{0,8}(?:template ?<[^<>]{0,120}> ?)?class (?:\w+_EXPORT )?(\w+)(?! ?;)/],
      ['module', /^\s{0,8}namespace (\w+)/],
    ),
    ...C,
  ],
  Go: rules(
    ['method', /^func \([^()]{1,120}\) (\w+)/],
    ['function', /^func (\w+)/],
    ['struct', /^type (\w+)(?:\[[^\]]{1,120}\])? struct\b/],
    ['interface', /^type (\w+)(?:\[[^\]]{1,120}\])? interface\b/],
    ['type', /^type (\w+)/],
    ['constant', /^(?:const|var) (\w+)/],
  ),
  Rust: rules(
    [
      'function',
      /^\s{0,12}(?:pub(?:\([\w: ]+\))? )?(?:(?:default|const|async|unsafe|extern(?: "[^"]{1,20}")?) ){0,4}fn (\w+)/,
    ],
    ['struct', /^\s{0,8}(?:pub(?:\([\w: ]+\))? )?(?:struct|union) (\w+)/],
    ['enum', /^\s{0,8}(?:pub(?:\([\w: ]+\))? )?enum (\w+)/],
    ['trait', /^\s{0,8}(?:pub(?:\([\w: ]+\))? )?(?:unsafe )?trait (\w+)/],
    ['type', /^\s{0,8}(?:pub(?:\([\w: ]+\))? )?type (\w+)/],
    ['module', /^\s{0,8}(?:pub(?:\([\w: ]+\))? )?mod (\w+)/],
    ['constant', /^\s{0,8}(?:pub(?:\([\w: ]+\))? )?(?:const|static)(?: mut)? (?!fn\b)(\w+)/],
    ['macro', /^\s{0,8}macro_rules! (\w+)/],
  ),
  Python: rules(
    ['class', /^\s{0,12}class (\w+)/],
    ['function', /^(?:async )?def (\w+)/],
    ['method', /^\s{1,12}(?:async )?def (\w+)/],
    ['constant', /^([A-Z][A-Z0-9_]+)(?:: ?[^=]{1,80})? ?=(?!=)/],
  ),
  Ruby: rules(
    ['class', /^\s{0,12}class ([\w:]+)/],
    ['module', /^\s{0,12}module ([\w:]+)/],
    ['method', /^\s{0,12}def (?:self\.)?([\w?!=]+)/],
    ['constant', /^\s{0,8}([A-Z][A-Z0-9_]+) ?=(?!=)/],
  ),
  PHP: [
    ...rules(
      [
        'function',
        /^\s{0,12}(?:(?:public|private|protected|static|final|abstract) ){0,4}function &?(\w+)/,
      ],
      ['trait', /^\s{0,4}trait (\w+)/],
      ['class', /^\s{0,4}(?:(?:final|abstract|readonly) ){0,3}class (\w+)/],
      ['interface', /^\s{0,4}interface (\w+)/],
      ['enum', /^\s{0,4}enum (\w+)/],
    ),
  ],
  Java: JAVA,
  'C#': [
    ...JAVA,
    ...rules(
      [
        'struct',
        /^\s{0,12}(?:(?:public|private|protected|internal|readonly|ref|partial) ){0,5}struct (\w+)/,
      ],
      ['module', /^namespace ([\w.]+)/],
    ),
  ],
  Kotlin: [
    ...JAVA,
    ...rules([
      'function',
      /^\s{0,12}(?:(?:public|private|protected|internal|override|suspend|inline|open|operator|infix|tailrec|abstract) ){0,6}fun (?:<[^<>]{1,80}> )?(?:[\w<>?]+\.)?(\w+)/,
    ]),
  ],
  Scala: [
    ...JAVA,
    ...rules(
      ['trait', /^\s{0,8}(?:sealed )?trait (\w+)/],
      [
        'method',
        /^\s{0,12}(?:(?:override|private|protected|final|implicit|inline) ){0,5}def (\w+)/,
      ],
    ),
  ],
  Groovy: [...JAVA, ...rules(['method', /^\s{0,8}def (\w+) ?\(/])],
  Swift: rules(
    [
      'class',
      /^\s{0,12}(?:(?:public|private|internal|open|final|fileprivate|@\w+) ){0,4}(?:class|actor) (\w+)/,
    ],
    ['struct', /^\s{0,12}(?:(?:public|private|internal|fileprivate) ){0,3}struct (\w+)/],
    ['enum', /^\s{0,12}(?:(?:public|private|internal|indirect|fileprivate) ){0,3}enum (\w+)/],
    ['interface', /^\s{0,12}(?:(?:public|private|internal|fileprivate) ){0,3}protocol (\w+)/],
    [
      'function',
      /^\s{0,12}(?:(?:public|private|internal|open|static|class|override|mutating|final|fileprivate|@\w+) ){0,6}func (\w+)/,
    ],
  ),
  Dart: rules(
    ['class', /^(?:abstract )?(?:class|mixin|extension) (\w+)/],
    ['enum', /^enum (\w+)/],
    ['function', /^(?:Future<[^>]{1,40}>|void|[\w<>?]+) (\w+)\([^;]{0,200}$/],
  ),
  Shell: rules(
    ['function', /^\s{0,4}(?:function )?([\w:.-]+) ?\(\)/],
    ['function', /^\s{0,4}function ([\w:.-]+)/],
  ),
  Perl: rules(['function', /^\s{0,8}sub (\w+)/], ['module', /^package ([\w:]+)/]),
  Lua: rules(
    ['function', /^\s{0,8}(?:local )?function ([\w.:]+)/],
    ['function', /^\s{0,4}(?:local )?([\w.]+) ?= ?function\b/],
  ),
  Elixir: rules(
    ['module', /^\s{0,8}defmodule ([\w.]+)/],
    ['function', /^\s{0,8}defp? ([\w?!]+)/],
    ['macro', /^\s{0,8}defmacrop? ([\w?!]+)/],
  ),
  Erlang: rules(
    ['function', /^([a-z]\w*)\([^()]{0,200}\)(?: when [^-]{1,200})? ?->/],
    ['module', /^-module\((\w+)\)/],
  ),
  Haskell: rules(
    ['type', /^(?:data|newtype|type) (\w+)/],
    ['class', /^class (?:[^=]{1,80}=> ?)?(\w+)/],
    ['function', /^([a-z]\w*'*) ?::/],
  ),
  OCaml: rules(
    ['function', /^\s{0,4}let (?:rec )?([a-z_]\w*)/],
    ['module', /^\s{0,4}module (?:type )?(\w+)/],
    ['type', /^\s{0,4}type (?:'\w+ )?(\w+)/],
  ),
  Clojure: rules(
    ['function', /^\(defn?-? ([^\s()[\]]+)/],
    ['macro', /^\(defmacro ([^\s()[\]]+)/],
    ['module', /^\(ns ([^\s()[\]]+)/],
  ),
  Julia: rules(
    ['function', /^\s{0,4}function (\w+!?)/],
    ['struct', /^(?:mutable )?struct (\w+)/],
    ['module', /^module (\w+)/],
  ),
  Zig: rules(
    ['function', /^\s{0,8}(?:pub )?(?:inline |export )?fn (\w+)/],
    ['constant', /^(?:pub )?const (\w+)/],
  ),
  Nim: rules(
    ['function', /^\s{0,4}(?:proc|func|template|macro|iterator) (\w+)/],
    ['type', /^ {2}(\w+)\*? ?= ?(?:ref )?object/],
  ),
  SQL: rules(
    [
      'type',
      /^\s{0,4}CREATE (?:OR REPLACE )?(?:TEMP(?:ORARY)? )?(?:TABLE|VIEW|INDEX|TYPE)(?: IF NOT EXISTS)? ["`[]?([\w.]+)/i,
    ],
    ['function', /^\s{0,4}CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|TRIGGER) ["`[]?([\w.]+)/i],
  ),
  'Protocol Buffer': rules(
    ['struct', /^\s{0,8}message (\w+)/],
    ['enum', /^\s{0,8}enum (\w+)/],
    ['interface', /^service (\w+)/],
    ['method', /^\s{1,8}rpc (\w+)/],
  ),
  GraphQL: rules(
    ['type', /^(?:extend )?(?:type|input|scalar|union) (\w+)/],
    ['interface', /^interface (\w+)/],
    ['enum', /^enum (\w+)/],
  ),
  HCL: rules(
    ['type', /^(?:resource|data) "[\w-]+" "([\w-]+)"/],
    ['constant', /^(?:variable|output|module|provider) "([\w-]+)"/],
  ),
  R: rules(['function', /^([\w.]+) ?(?:<-|=) ?function\b/]),
  Makefile: rules(['function', /^([\w./-]+) ?:(?!=)/]),
  CMake: rules(['function', /^\s{0,4}(?:function|macro) ?\((\w+)/i]),
  Markdown: rules(['heading', /^#{1,3} ([^#\n]{1,100})/]),
}

const NO_RULES: readonly SymbolRule[] = []
export const rulesFor = (language: string | null): readonly SymbolRule[] =>
  language === null ? NO_RULES : (BY_LANGUAGE[language] ?? NO_RULES)

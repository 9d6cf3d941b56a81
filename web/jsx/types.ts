// The types of elements and attributes, with HTML's own names (HTML Living Standard, sections 3 and
// 4). There is no `style` and no `on…`, so a page with one does not compile.
import type { ClassValue } from './attributes.ts'
import type { Child, Html } from './html.ts'

type Text = string | number | null | undefined | false
type Flag = boolean | null | undefined
/** A boolean that HTML wants as the word true or false. */
type Word = 'true' | 'false' | undefined

interface Global {
  children?: Child
  class?: ClassValue
  id?: Text
  title?: Text
  lang?: Text
  dir?: 'ltr' | 'rtl' | 'auto'
  role?: Text
  tabindex?: Text
  hidden?: Flag | 'until-found'
  inert?: Flag
  popover?: 'auto' | 'manual' | Flag
  accesskey?: Text
  autofocus?: Flag
  contenteditable?: Word
  draggable?: Word
  spellcheck?: Word
  translate?: 'yes' | 'no'
  enterkeyhint?: Text
  inputmode?: 'none' | 'text' | 'decimal' | 'numeric' | 'tel' | 'search' | 'email' | 'url'
  slot?: Text
  itemscope?: Flag
  itemprop?: Text
  itemtype?: Text
}

interface Anchor extends Global {
  href?: Text
  rel?: Text
  target?: Text
  download?: Text | true
  hreflang?: Text
  type?: Text
  ping?: never
  referrerpolicy?: Text
}

interface FormControl extends Global {
  name?: Text
  disabled?: Flag
  form?: Text
}

interface Submitter extends FormControl {
  formaction?: Text
  formmethod?: 'get' | 'post' | 'dialog'
  formtarget?: Text
  formnovalidate?: Flag
  formenctype?: Text
  popovertarget?: Text
  popovertargetaction?: 'show' | 'hide' | 'toggle'
}

interface Input extends Submitter {
  type?: Text
  value?: Text
  checked?: Flag
  required?: Flag
  readonly?: Flag
  multiple?: Flag
  webkitdirectory?: Flag
  placeholder?: Text
  autocomplete?: Text
  autocapitalize?: Text
  min?: Text
  max?: Text
  step?: Text
  minlength?: Text
  maxlength?: Text
  pattern?: Text
  size?: Text
  list?: Text
  accept?: Text
  src?: Text
  alt?: Text
}

interface Textarea extends FormControl {
  rows?: Text
  cols?: Text
  required?: Flag
  readonly?: Flag
  placeholder?: Text
  minlength?: Text
  maxlength?: Text
  autocomplete?: Text
  wrap?: 'soft' | 'hard' | 'off'
}

interface Cell extends Global {
  colspan?: Text
  rowspan?: Text
  headers?: Text
  scope?: 'row' | 'col' | 'rowgroup' | 'colgroup'
  abbr?: Text
}

interface Image extends Global {
  src?: Text
  srcset?: Text
  sizes?: Text
  alt: string
  width?: Text
  height?: Text
  loading?: 'lazy' | 'eager'
  decoding?: 'async' | 'sync' | 'auto'
  referrerpolicy?: Text
  crossorigin?: Text
}

/** Presentation attributes of SVG, which the content security policy allows, unlike styles. */
interface Svg extends Global {
  xmlns?: Text
  viewBox?: Text
  width?: Text
  height?: Text
  fill?: Text
  'fill-rule'?: Text
  'clip-rule'?: Text
  'fill-opacity'?: Text
  stroke?: Text
  'stroke-width'?: Text
  'stroke-linecap'?: Text
  'stroke-linejoin'?: Text
  'stroke-dasharray'?: Text
  opacity?: Text
  transform?: Text
  focusable?: Word
  preserveAspectRatio?: Text
  d?: Text
  x?: Text
  y?: Text
  x1?: Text
  y1?: Text
  x2?: Text
  y2?: Text
  cx?: Text
  cy?: Text
  r?: Text
  rx?: Text
  ry?: Text
  points?: Text
  href?: Text
  offset?: Text
  'stop-color'?: Text
  'text-anchor'?: Text
  'dominant-baseline'?: Text
  'font-size'?: Text
  'font-weight'?: Text
}

type Plain =
  | 'abbr'
  | 'address'
  | 'article'
  | 'aside'
  | 'b'
  | 'bdi'
  | 'bdo'
  | 'body'
  | 'br'
  | 'caption'
  | 'cite'
  | 'code'
  | 'datalist'
  | 'dd'
  | 'dfn'
  | 'div'
  | 'dl'
  | 'dt'
  | 'em'
  | 'figcaption'
  | 'figure'
  | 'footer'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'head'
  | 'header'
  | 'hgroup'
  | 'hr'
  | 'i'
  | 'kbd'
  | 'main'
  | 'mark'
  | 'menu'
  | 'nav'
  | 'noscript'
  | 'p'
  | 'picture'
  | 'pre'
  | 'rp'
  | 'rt'
  | 'ruby'
  | 's'
  | 'samp'
  | 'search'
  | 'section'
  | 'small'
  | 'span'
  | 'strong'
  | 'sub'
  | 'summary'
  | 'sup'
  | 'tbody'
  | 'tfoot'
  | 'thead'
  | 'title'
  | 'tr'
  | 'u'
  | 'ul'
  | 'var'
  | 'wbr'

type SvgName =
  | 'svg'
  | 'g'
  | 'path'
  | 'circle'
  | 'ellipse'
  | 'rect'
  | 'line'
  | 'polyline'
  | 'polygon'
  | 'text'
  | 'tspan'
  | 'defs'
  | 'use'
  | 'symbol'
  | 'linearGradient'
  | 'radialGradient'
  | 'stop'
  | 'desc'
  | 'clipPath'

type Elements = { [name in Plain]: Global } & { [name in SvgName]: Svg } & {
  html: Global & { 'data-theme'?: Text; 'data-diff'?: Text }
  a: Anchor
  area: Anchor & { alt?: Text; coords?: Text; shape?: Text }
  audio: Global & { src?: Text; controls?: Flag; preload?: Text }
  blockquote: Global & { cite?: Text }
  button: Submitter & { type: 'submit' | 'button' | 'reset'; value?: Text }
  col: Global & { span?: Text }
  colgroup: Global & { span?: Text }
  data: Global & { value?: Text }
  del: Global & { cite?: Text; datetime?: Text }
  details: Global & { open?: Flag; name?: Text }
  dialog: Global & { open?: Flag }
  fieldset: FormControl
  form: Global & {
    action?: Text
    method?: 'get' | 'post' | 'dialog'
    enctype?: Text
    autocomplete?: Text
    novalidate?: Flag
    name?: Text
    target?: Text
  }
  img: Image
  input: Input
  ins: Global & { cite?: Text; datetime?: Text }
  label: Global & { for?: Text }
  legend: Global
  li: Global & { value?: Text }
  link: Global & {
    href?: Text
    rel?: Text
    type?: Text
    media?: Text
    as?: Text
    sizes?: Text
    crossorigin?: Text
    integrity?: Text
    color?: Text
  }
  meta: Global & {
    name?: Text
    content?: Text
    charset?: Text
    'http-equiv'?: Text
    property?: Text
    media?: Text
  }
  meter: Global & { value?: Text; min?: Text; max?: Text; low?: Text; high?: Text; optimum?: Text }
  ol: Global & { start?: Text; reversed?: Flag; type?: Text }
  optgroup: Global & { label?: Text; disabled?: Flag }
  option: Global & { value?: Text; selected?: Flag; disabled?: Flag; label?: Text }
  output: Global & { for?: Text; name?: Text; form?: Text }
  progress: Global & { value?: Text; max?: Text }
  q: Global & { cite?: Text }
  script: Global & {
    src: string
    type?: Text
    defer?: Flag
    async?: Flag
    integrity?: Text
    crossorigin?: Text
  }
  select: FormControl & { multiple?: Flag; required?: Flag; size?: Text; autocomplete?: Text }
  source: Global & {
    src?: Text
    srcset?: Text
    type?: Text
    media?: Text
    sizes?: Text
    width?: Text
    height?: Text
  }
  table: Global
  td: Cell
  textarea: Textarea
  th: Cell
  time: Global & { datetime?: Text }
  track: Global & { src?: Text; kind?: Text; srclang?: Text; label?: Text }
  video: Global & {
    src?: Text
    controls?: Flag
    poster?: Text
    width?: Text
    height?: Text
    preload?: Text
    muted?: Flag
    loop?: Flag
    playsinline?: Flag
  }
}

export declare namespace JSX {
  type Element = Html
  /** A tag name, or a component. */
  type ElementType = keyof IntrinsicElements | ((props: never) => Html | null)
  interface ElementChildrenAttribute {
    children: unknown
  }
  interface IntrinsicAttributes {
    /** Accepted as in other JSX, and never rendered. */
    key?: string | number
  }
  type IntrinsicElements = Elements
}

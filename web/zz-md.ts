import sanitizeHtml from 'sanitize-html'
import { cleanHtml } from '/work/main/web/markdown/clean.ts'
import { renderMarkdown } from '/work/main/web/markdown.ts'
const N=16000
const toks=['>','> ','- ','* ','1. ','[','![','<','<div>','<p>','<li><p>','*','_','**a','`','``a','~','|','| a ','|-','\n','#','\\','&','&amp','a@','http://','https://a.b/','www.','[a](','[a]: ','<!--','<?','<![CDATA[','<a href="','</div>','&#','@a ','#1 ','a\n','\t','  - ','    ','> - ','a\n=\n','[[',']','](','*a **a ','_a__','<b','```\n','~~~\n','@','/','x','0','abcdef0 ','- a\n ','<table><tr><td>','<input>','<img src=a>', '<picture><source srcset=",,,,">', '[a]', ',', '(', 'ftp:','<span id="a">','"', '" ']
for (const t of toks) for (const n of [N, 64000]) {
  const text = t.repeat(Math.floor(n/t.length))
  const a=performance.now(); const html = Bun.markdown.html(text,{autolinks:true}); const b=performance.now(); 
  cleanHtml(html,''); const c=performance.now(); renderMarkdown(text,{link:{siteUrl:'http://x',repo:'a/b'},breaks:true}); const d=performance.now()
  if (d-a>60) console.log(JSON.stringify(t), n, 'parse',(b-a).toFixed(0),'len',html.length,'clean',(c-b).toFixed(0),'all',(d-c).toFixed(0))
}

import{l as e}from"./chunk-7IIZTS75.js";function a(n){let t=n.split(`
`).map(r=>r.replace(/#.*/,"").trim()).filter(Boolean),[o=""]=t;return t.length===1&&o.startsWith("random:")?o:t.map(r=>r.split(/\s+/))}function m(n){return typeof n=="string"?e("tournaments.openings.random",{n:Number(n.replace("random:",""))}):n.length?e("tournaments.openings.chosen",{n:n.length}):""}export{a,m as b};

import{a}from"./chunk-Q4PDC3NQ.js";import"./chunk-ZYMGKXRH.js";import"./chunk-3TXHFKDN.js";export{a as qrCode};

import{a}from"./chunk-MQRYUGA7.js";import"./chunk-6DSZNFRE.js";import"./chunk-3TXHFKDN.js";export{a as gameTexts};

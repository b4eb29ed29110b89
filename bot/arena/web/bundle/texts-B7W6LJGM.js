import{a}from"./chunk-E3W25OP5.js";import"./chunk-7IIZTS75.js";export{a as gameTexts};

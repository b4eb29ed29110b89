import{a}from"./chunk-GEHZRIX3.js";import"./chunk-7IIZTS75.js";export{a as gameTexts};

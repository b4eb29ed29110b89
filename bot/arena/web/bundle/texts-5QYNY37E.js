import{a}from"./chunk-GPEBTG2J.js";import"./chunk-UZQ35JEW.js";export{a as gameTexts};

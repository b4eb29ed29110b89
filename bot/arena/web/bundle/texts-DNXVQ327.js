import{a}from"./chunk-QMII4RPB.js";import"./chunk-7IIZTS75.js";export{a as gameTexts};

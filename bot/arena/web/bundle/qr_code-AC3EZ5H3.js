import{a}from"./chunk-UFDCQBHB.js";import"./chunk-BSP6MH22.js";import"./chunk-JG2DP7M6.js";import"./chunk-YI6KITRV.js";import"./chunk-GPEBTG2J.js";import"./chunk-UZQ35JEW.js";export{a as qrCode};
